"""What every part of the observability says of itself in a plan, and what its pods ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from components.platform.built import Charges
    from components.platform.ground import Ground


def facts(name: str, ground: Ground, charges: Charges) -> dict[str, object]:
    """Plain inputs of a part's component."""
    part, placement = ground.part(name), ground.spec.placement
    return {
        "provider": placement.provider,
        "region": placement.region,
        "version": part.version,
        "source": part.repository,
        "charges": list(charges),
    }


def asks(cpu: str, memory: str, *, limit: str = "") -> dict[str, object]:
    """Resources of a container: what it asks for, and where its memory ends; a core that is free may be used."""
    found: dict[str, object] = {"requests": {"cpu": cpu, "memory": memory}}
    return {**found, "limits": {"memory": limit}} if limit else found
