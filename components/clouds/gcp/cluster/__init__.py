"""The GKE control plane, its kubeconfig and its settings."""
