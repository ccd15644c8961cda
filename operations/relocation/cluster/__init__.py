"""What asks a live cluster, cloud or database: the only modules of a relocation that import an SDK."""
