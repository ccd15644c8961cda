"""TODO operations.project."""
