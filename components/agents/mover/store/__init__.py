"""TODO components.agents.mover.store."""
