"""TODO components.clouds.gcp.access."""
