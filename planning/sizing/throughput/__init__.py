"""TODO planning.sizing.throughput."""
