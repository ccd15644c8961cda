"""TODO operations.clouds.gcp."""
