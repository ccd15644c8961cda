"""TODO planning.clone.comparison."""
