"""TODO components.clouds.coreweave.network."""
