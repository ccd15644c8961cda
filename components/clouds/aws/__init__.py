"""A cluster on AWS: `builder` puts network, EKS, node pools, storage and access together."""
