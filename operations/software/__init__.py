"""Digests of charts and images, as registries and repositories say them over the network."""
