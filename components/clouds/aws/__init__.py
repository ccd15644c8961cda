"""TODO components.clouds.aws."""
