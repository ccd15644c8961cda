"""Sizing: from the checklist to demands, from a demand and a machine type to a fit. Pure functions, no prices."""
