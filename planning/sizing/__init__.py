"""From a checklist to demands, and from a demand and a machine type to a fit. No prices."""
