"""Charges of AWS resources: machines, disks, networks, storage and managed services."""
