"""TODO components.clouds.gcp."""
