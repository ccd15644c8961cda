"""TODO policies.rules.security."""
