"""TODO components.platform.gpu."""
