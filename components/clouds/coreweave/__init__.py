"""A cluster on CoreWeave: `builder` puts network, CKS, node pools and storage together."""
