"""The object store inside a cluster: MinIO or SeaweedFS, its buckets and their policies."""
