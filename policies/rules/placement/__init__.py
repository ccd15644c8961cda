"""Rules about where a stack lies: regions, machines, residency."""
