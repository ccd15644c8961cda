"""TODO components.clouds.coreweave.nodepools."""
