"""What pods of the observability ask for."""

from __future__ import annotations


def asks(cpu: str, memory: str, *, limit: str = "") -> dict[str, object]:
    """Resources of a container: what it asks for, and where its memory ends; a core that is free may be used."""
    found: dict[str, object] = {"requests": {"cpu": cpu, "memory": memory}}
    return {**found, "limits": {"memory": limit}} if limit else found
