"""TODO planning.costs.resources.clouds.aws."""
