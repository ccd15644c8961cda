"""Charges of Google Cloud resources: machines, networks, storage, and types that are free."""
