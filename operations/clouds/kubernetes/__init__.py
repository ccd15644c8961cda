"""The Kubernetes client, object kinds, certificates, and what a cluster that exists has room for."""
