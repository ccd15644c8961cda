"""A cluster on Google Cloud: `builder` puts network, GKE, node pools, storage and access together."""
