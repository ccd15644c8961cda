"""TODO planning.inputs."""
