"""Rules about running a cluster: GPU software, pinned versions, spares, tags, idle work."""
