"""TODO planning.ceilings."""
