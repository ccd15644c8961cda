"""A month's samples from Prometheus or from files, and the exclusions beside the checklist."""
