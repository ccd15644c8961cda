"""TODO planning.sizing.reference_pages."""
