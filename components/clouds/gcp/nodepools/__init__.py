"""Node pools on Google Cloud, and the networks between their GPUs."""
