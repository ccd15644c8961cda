"""The whole stack: which cloud builds which placement, and what goes into every cluster. The only composer."""
