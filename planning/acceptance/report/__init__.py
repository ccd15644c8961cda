"""The report of an acceptance: one JSON document that can be signed, and the document that people read."""
