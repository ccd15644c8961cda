"""TODO cli.pages.documents."""
