"""The whole stack: which cloud builds which placement, and the contents of every cluster."""
