"""Nodes, incidents and usage of a running stack, as tables."""
