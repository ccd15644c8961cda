"""Clusters: control planes, what every node needs, and clusters that are already there."""
