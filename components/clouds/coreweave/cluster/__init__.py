"""The CKS control plane and its settings."""
