"""TODO cli.pages."""
