"""TODO cli.main."""
