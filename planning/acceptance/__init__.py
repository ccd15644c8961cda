"""The acceptance of a delivered cluster: what is expected, what was measured, and the verdict."""
