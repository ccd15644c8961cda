"""A relocation as tables: its plan, and how far it has come."""
