"""Nodes that fail: what is wrong, which spare takes over, which remedy there is, and the tickets."""
