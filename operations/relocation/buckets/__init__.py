"""TODO operations.relocation.buckets."""
