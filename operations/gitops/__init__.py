"""The platform of a stack as files that Argo CD reads from the customer's own repository."""
