"""Alerts and recording rules of Prometheus, and the service levels that they watch."""
