"""TODO components.agents.mover.manifests."""
