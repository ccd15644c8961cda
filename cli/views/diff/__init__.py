"""TODO cli.views.diff."""
