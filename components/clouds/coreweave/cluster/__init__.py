"""The CKS control plane, and what a stack's configuration says of it."""
