"""TODO operations.usage."""
