"""TODO components.clouds.coreweave.storage."""
