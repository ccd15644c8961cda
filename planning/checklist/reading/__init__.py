"""TODO planning.checklist.reading."""
