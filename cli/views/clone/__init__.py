"""A clone as tables: what differs from its source, what was decided, and the summary."""
