"""TODO planning.quoting.assembly."""
