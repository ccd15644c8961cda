"""TODO planning.checklist.reference."""
