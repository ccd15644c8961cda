"""TODO policies.rules.operations."""
