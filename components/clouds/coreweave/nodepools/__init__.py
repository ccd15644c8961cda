"""Node pools on CoreWeave, from which CKS makes bare-metal nodes."""
