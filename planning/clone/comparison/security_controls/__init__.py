"""TODO planning.clone.comparison.security_controls."""
