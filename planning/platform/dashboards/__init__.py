"""Dashboards of Grafana, built from small typed parts: no page of JSON is kept."""
