"""TODO components.agents."""
