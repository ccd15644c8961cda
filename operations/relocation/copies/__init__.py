"""TODO operations.relocation.copies."""
