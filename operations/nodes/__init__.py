"""Nodes that fail: looked at, taken out of use, replaced, and written down."""
