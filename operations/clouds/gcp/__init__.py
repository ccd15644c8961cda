"""Questions to Google Cloud: quotas, capacity, and what is left of a stack."""
