"""The charges of resources that a Pulumi program registers."""
