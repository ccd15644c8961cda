"""Questions to AWS: quotas, capacity, and what is left of a stack."""
