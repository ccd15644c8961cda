"""Takeoff: charges read off the resources that a Pulumi program registers. One file per provider."""
