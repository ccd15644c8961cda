"""The Kubernetes Jobs that measure a delivered cluster, as plain objects, and the burn-in of new nodes."""
