"""TODO components.platform.teams."""
