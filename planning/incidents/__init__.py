"""Failed nodes: diagnosis, choice of a spare, replacement, and tickets to providers."""
