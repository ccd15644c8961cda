"""The platform in the cluster, by area: `installation` installs the parts that the lock names."""
