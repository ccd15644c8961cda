"""Copies of buckets: rounds, verification, repair, and what makes a proof doubtful."""
