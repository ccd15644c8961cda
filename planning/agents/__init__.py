"""TODO planning.agents."""
