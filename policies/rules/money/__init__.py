"""TODO policies.rules.money."""
