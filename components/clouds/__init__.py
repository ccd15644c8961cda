"""TODO components.clouds."""
