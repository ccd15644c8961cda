"""TODO cli.pages.relocation."""
