"""TODO components.clouds.azure.network."""
