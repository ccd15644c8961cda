"""Storage tiers on CoreWeave: buckets, Distributed File Storage, and the bucket of the platform."""
