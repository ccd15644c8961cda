"""The cluster that is measured; the only place where its API is known."""
