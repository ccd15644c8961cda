"""A relocation as a plan: what moves, by which method, how long it takes, what it costs, how it is undone."""
