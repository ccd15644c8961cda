"""TODO catalogs.reference_pages."""
