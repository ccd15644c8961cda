"""TODO planning.sizing.machines."""
