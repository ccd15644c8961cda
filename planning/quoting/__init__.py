"""TODO planning.quoting."""
