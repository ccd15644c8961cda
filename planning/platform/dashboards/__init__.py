"""Dashboards of Grafana, built from small typed parts."""
