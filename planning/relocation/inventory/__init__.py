"""TODO planning.relocation.inventory."""
