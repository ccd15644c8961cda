"""Nodes that fail: found, drained, replaced, and written down as incidents."""
