"""The charges of a decided cluster: machines, storage tiers, connectivity, volumes and buckets."""
