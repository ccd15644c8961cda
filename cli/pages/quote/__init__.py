"""TODO cli.pages.quote."""
