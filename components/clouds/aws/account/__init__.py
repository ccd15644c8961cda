"""TODO components.clouds.aws.account."""
