"""The VPC of a cluster on CoreWeave."""
