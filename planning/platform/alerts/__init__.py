"""What the cluster warns of, and what it records to be able to: rules of Prometheus, built, never pasted."""
