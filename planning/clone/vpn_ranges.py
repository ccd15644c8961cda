"""VPN ranges of a clone that no other VPN of the project has: whoever holds profiles of both can be in both at once."""

from __future__ import annotations

from dataclasses import replace
from ipaddress import IPv4Network
from typing import TYPE_CHECKING, Final

from planning.checklist.model.checklist import networks
from planning.clone.addresses import Taken, free
from planning.values.errors import InputError
from planning.values.vpn_addresses import free_range

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planning.checklist.model.checklist import Checklist
    from planning.quoting.quote import Option
    from planning.spec.cluster import ClusterSpec

LIKE: Final = IPv4Network(
    "10.64.0.0/16"
)  # as wide as `planning.values.vpn_addresses.RANGES` are: a user's address is drawn in it


def apart(option: Option, *, checklist: Checklist, taken: Sequence[Taken]) -> Option:
    """The same option with a VPN range for each of its gateways that nobody has; nothing of it has a price.

    Where no range is left, the gateway keeps the one it has, as two stacks of other projects may.

    Args:
        taken: networks of the project, the VPN ranges of its stacks among them.
    """
    own = [Taken("the clone", each) for each in networks(checklist)]
    known = [*taken, *own, *(Taken("the clone", each.network.cidr) for each in option.placements)]
    placements: list[ClusterSpec] = []
    for spec in option.placements:
        moved = spec
        if spec.vpn is not None:
            cidr = _range(known) or spec.vpn.cidr
            known.append(Taken("the clone's VPN", cidr))
            moved = spec.model_copy(update={"vpn": spec.vpn.model_copy(update={"cidr": cidr})})
        placements.append(moved)
    return replace(option, placements=tuple(placements))


def _range(known: Sequence[Taken]) -> IPv4Network | None:
    """The first of the VPN's own ranges that is free, else any private one."""
    found = free_range(each.network for each in known)
    if found is not None:
        return found
    try:
        return free(LIKE, known)
    except InputError:
        return None
