"""TODO planning.relocation.methods."""
