"""What every other part stands on: namespaces, certificates, ingress, sign-on, secrets, databases."""
