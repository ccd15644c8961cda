"""Two sides of a change, each run from its own tree, and what the base says of the head."""
