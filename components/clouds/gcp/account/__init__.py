"""What belongs to the Google Cloud project of a cluster: key, budget, logs, and the form of names."""
