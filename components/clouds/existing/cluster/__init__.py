"""Access to an existing cluster, and its preconditions."""
