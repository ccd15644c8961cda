"""The Kubernetes side of a relocation: what the source's cluster keeps, and what is made again at the target."""
