"""TODO cli.views.clone."""
