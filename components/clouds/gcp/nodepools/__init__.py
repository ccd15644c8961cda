"""TODO components.clouds.gcp.nodepools."""
