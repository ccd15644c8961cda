"""Stops what writes at the source and lets it go on: workloads, buckets, databases."""
