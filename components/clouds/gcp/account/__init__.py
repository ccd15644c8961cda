"""Project-level resources on Google Cloud: key, budget, logs, and names."""
