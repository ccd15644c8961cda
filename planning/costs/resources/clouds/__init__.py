"""TODO planning.costs.resources.clouds."""
