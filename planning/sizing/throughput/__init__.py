"""How fast accelerators work: training, serving, interconnect, utilization."""
