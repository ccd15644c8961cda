"""TODO operations.relocation.dns."""
