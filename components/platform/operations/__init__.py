"""TODO components.platform.operations."""
