"""TODO components.platform.scheduling."""
