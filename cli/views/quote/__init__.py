"""TODO cli.views.quote."""
