"""Tracking and orchestration of experiments: MLflow and Airflow."""
