"""TODO components.platform.stores."""
