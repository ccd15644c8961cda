"""The jobs that measure what was delivered, as plain Kubernetes objects: nothing here knows Pulumi, or a cluster."""
