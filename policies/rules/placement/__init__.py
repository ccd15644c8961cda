"""Rules about placement: regions, machines, residency."""
