"""Pages of docs/reference that are generated from the catalog: profiles, software, sources."""
