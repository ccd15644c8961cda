"""TODO operations.relocation.runner."""
