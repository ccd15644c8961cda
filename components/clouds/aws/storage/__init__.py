"""Storage tiers: object stores and shared file systems."""
