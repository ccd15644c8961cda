"""TODO planning.costs.resources.clouds.gcp."""
