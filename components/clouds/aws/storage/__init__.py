"""Storage tiers on AWS: buckets, FSx for Lustre, EFS, storage classes, and the bucket of the platform."""
