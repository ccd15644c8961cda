"""What stops writers and lets them go on: which ones there are, how each is stopped, and what it was before."""
