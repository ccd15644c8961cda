"""TODO components.tenancy."""
