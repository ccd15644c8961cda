"""TODO components.platform.kubeflow."""
