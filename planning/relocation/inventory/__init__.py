"""The stateful assets of a stack: from its lock, its resources, its cluster, and measurements."""
