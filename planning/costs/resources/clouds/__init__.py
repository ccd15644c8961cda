"""Which properties of a resource cost what, one file or folder for each cloud."""
