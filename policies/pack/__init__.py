"""TODO policies.pack."""
