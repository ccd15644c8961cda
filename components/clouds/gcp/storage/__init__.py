"""TODO components.clouds.gcp.storage."""
