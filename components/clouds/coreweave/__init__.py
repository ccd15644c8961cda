"""TODO components.clouds.coreweave."""
