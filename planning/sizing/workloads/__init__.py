"""TODO planning.sizing.workloads."""
