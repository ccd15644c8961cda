"""TODO components.clouds.existing."""
