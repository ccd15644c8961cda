"""The platform in the cluster, by area: `composition` installs the parts that the lock names."""
