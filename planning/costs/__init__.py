"""TODO planning.costs."""
