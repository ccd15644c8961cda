"""Nodes that fail: what is wrong, which spare takes over, which remedy there is, and what is written down."""
