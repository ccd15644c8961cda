"""Kubeflow: notebooks, pipelines, training, tuning, serving and the model registry."""
