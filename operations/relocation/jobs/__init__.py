"""Movers as Jobs of a cluster: their objects, credentials, runs and results."""
