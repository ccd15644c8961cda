"""Access to a cluster that is already there, and whether it can be built on."""
