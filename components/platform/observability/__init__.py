"""TODO components.platform.observability."""
