"""A relocation as a plan: what is moved, by what, how long it takes, what it costs, and how it is taken back."""
