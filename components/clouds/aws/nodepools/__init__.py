"""Node pools: equal nodes of one offer."""
