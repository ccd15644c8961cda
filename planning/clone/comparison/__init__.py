"""How a clone differs from its source: pools, prices, storage, latency, residency, capabilities."""
