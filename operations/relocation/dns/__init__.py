"""Names that are switched to the target and back: Route 53, a hosts file, or by hand."""
