"""TODO components.platform.experiments."""
