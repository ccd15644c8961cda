"""TODO components.clouds.existing.cluster."""
