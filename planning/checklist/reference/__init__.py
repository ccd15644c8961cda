"""The checklist's JSON Schema, its reference page, and the questions of `atoll init`."""
