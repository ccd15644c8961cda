"""TODO components.clouds.gcp.cluster."""
