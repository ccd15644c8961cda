"""TODO operations.clouds."""
