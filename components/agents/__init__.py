"""Our own programs that run in pods: standard library and `planning.agents` only."""
