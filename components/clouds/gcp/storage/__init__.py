"""Storage tiers on Google Cloud: buckets, Filestore, Managed Lustre, storage classes, the platform's bucket."""
