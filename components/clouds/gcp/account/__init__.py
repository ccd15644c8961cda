"""TODO components.clouds.gcp.account."""
