"""TODO operations.relocation."""
