"""Readers: plan, preview and exported stack as resources. One file per kind of file."""

from planning.takeoff.read.file import read, read_file

__all__ = ["read", "read_file"]
