"""TODO components.context."""
