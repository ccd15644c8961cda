"""TODO planning.quoting.candidates."""
