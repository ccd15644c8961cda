"""Rules that look at more than one field of a checklist; each is a small function in one table."""
