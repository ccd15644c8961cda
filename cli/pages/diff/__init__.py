"""TODO cli.pages.diff."""
