"""TODO components.clouds.azure."""
