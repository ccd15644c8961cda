"""TODO components.clouds.gcp.network."""
