"""Metrics, logs, traces, cost and alerts: Prometheus, Grafana, Loki, Tempo, OpenCost, the collector."""
