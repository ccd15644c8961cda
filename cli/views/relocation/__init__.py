"""TODO cli.views.relocation."""
