"""TODO components.stack."""
