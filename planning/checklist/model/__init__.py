"""TODO planning.checklist.model."""
