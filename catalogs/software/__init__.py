"""The software that is put on a cluster: parts with their versions, sources and footprint, and the tested tuples."""
