"""TODO planning.relocation.costs."""
