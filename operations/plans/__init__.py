"""TODO operations.plans."""
