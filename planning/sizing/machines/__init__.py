"""How a demand sits on a machine type: fit, packing, replicas, run time, node hours."""
