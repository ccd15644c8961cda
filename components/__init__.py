"""Pulumi components: what a cluster is made of. They decide nothing that the lock does not say."""
