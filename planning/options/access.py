"""Ways into a cluster and out to the main cloud, decided when an option is made: the VPN gateway and the tunnel."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planning.checklist.model import Checklist
    from planning.options.market import Place
    from planning.spec import Gateway, Link, Profile


def gateway(checklist: Checklist, *, provider: str, target: str, profile: Profile) -> Gateway | None:
    """The WireGuard gateway; None where no VPN is wanted."""
    del checklist, provider, target, profile
    return None


def link(checklist: Checklist, *, place: Place) -> Link | None:
    """The tunnel to the main cloud where no VPC peering reaches it; None where none is needed."""
    del checklist, place
    return None
