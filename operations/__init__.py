"""TODO operations."""
