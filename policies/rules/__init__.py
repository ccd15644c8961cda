"""One file per rule; each has a `RULE`. The table is in `policies.table`."""
