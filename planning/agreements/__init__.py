"""TODO planning.agreements."""
