"""TODO planning.values."""
