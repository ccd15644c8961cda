"""The order inside every cluster: namespaces, roles, limits, storage classes and claims."""
