"""TODO components.clouds.aws.access."""
