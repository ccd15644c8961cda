"""TODO planning.clone.decisions."""
