"""TODO components.clouds.coreweave.cluster."""
