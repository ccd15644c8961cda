"""TODO planning.costs.charges."""
