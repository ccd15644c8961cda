"""Readers: plan, preview and exported stack as resources. One file per kind of file."""
