"""The GKE control plane, its kubeconfig, and what a stack's configuration says of it."""
