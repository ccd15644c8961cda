"""Who and what may do what: keys, roles, tenants."""
