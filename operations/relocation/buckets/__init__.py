"""The buckets of a relocation: made, checked, and tried with a write."""
