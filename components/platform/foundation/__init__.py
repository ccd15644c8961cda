"""TODO components.platform.foundation."""
