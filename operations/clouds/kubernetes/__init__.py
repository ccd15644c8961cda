"""TODO operations.clouds.kubernetes."""
