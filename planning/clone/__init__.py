"""A clone as a typed transformation of a checklist, and what differs between the two places."""
