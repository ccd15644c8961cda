"""TODO planning.spec."""
