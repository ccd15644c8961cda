"""TODO policies.rules.placement."""
