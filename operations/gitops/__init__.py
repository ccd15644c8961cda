"""The platform of a stack as Argo CD reads it from the customer's own repository."""
