"""Address ranges of a clone that overlap no network to which it may be connected."""

from __future__ import annotations

from dataclasses import dataclass, replace
from ipaddress import IPv4Network
from typing import TYPE_CHECKING, Final

from planning.checklist.model.checklist import networks
from planning.values.addresses import RANGES, free_range
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from planning.checklist.model.checklist import Checklist
    from planning.quoting.quote import Option
    from planning.spec.cluster import ClusterSpec


# Candidates, in this order: the range of most checklists, then the rest of 10.0.0.0/8 that clouds and home routers do
# not use, then the upper half of 172.16.0.0/12 (reasons: planning/values/addresses.py).
POOLS: Final = tuple(IPv4Network(each) for each in ("10.64.0.0/10", "10.128.0.0/9", "172.24.0.0/13"))
# Default service ranges of Amazon EKS (its user guide, "Create a cluster": service IPv4 range), which another cluster
# of the customer may have.
AVOIDED: Final = tuple(IPv4Network(each) for each in ("10.100.0.0/16", "172.20.0.0/16"))
SHOWN: Final = 3  # overlapping networks that a refusal names


@dataclass(frozen=True, slots=True)
class ReservedNetwork:
    """An existing network with its owner."""

    whose: str
    network: IPv4Network


def clashes(cidr: IPv4Network, taken: Sequence[ReservedNetwork]) -> tuple[ReservedNetwork, ...]:
    """Networks that overlap a range."""
    return tuple(each for each in taken if each.network.overlaps(cidr))


def find_free_range(like: IPv4Network, taken: Sequence[ReservedNetwork]) -> IPv4Network:
    """The first free range as wide as `like`.

    Raises:
        InputError: none is free.
    """
    found = _first(like.prefixlen, taken)
    if found is None:
        raise InputError(
            f"no private range of /{like.prefixlen} is free: {len(taken)} networks of this project take them",
            hint="name one with --cidr that nothing it is joined to has",
        )
    return found


def _first(prefix: int, taken: Sequence[ReservedNetwork]) -> IPv4Network | None:
    barred = (*RANGES, *AVOIDED)
    return next(
        (
            each
            for each in _candidates(prefix)
            if not clashes(each, taken) and not any(each.overlaps(other) for other in barred)
        ),
        None,
    )


def refuse_clash(cidr: IPv4Network, taken: Sequence[ReservedNetwork]) -> None:
    """Refuse a requested range that is in use.

    Raises:
        InputError: names the overlapping networks, and a free range.
    """
    found = clashes(cidr, taken)
    if not found:
        return
    named = ", ".join(f"{each.network} of {each.whose}" for each in found[:SHOWN])
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    other = _first(cidr.prefixlen, taken)
    raise InputError(
        f"--cidr {cidr} overlaps {named}{more}: networks that are joined have no address in common, and a relocation "
        "joins the two",
        hint="leave --cidr out" + (f", or write --cidr {other}" if other is not None else ""),
    )


def _candidates(prefix: int) -> Iterator[IPv4Network]:
    for pool in POOLS:
        if prefix >= pool.prefixlen:
            yield from pool.subnets(new_prefix=prefix)


LIKE: Final = IPv4Network(
    "10.64.0.0/16"
)  # as wide as `planning.values.addresses.RANGES` are: a user's address is drawn in it


def separate_vpn_ranges(option: Option, *, checklist: Checklist, taken: Sequence[ReservedNetwork]) -> Option:
    """Give each VPN gateway of an option a free range; its price does not change.

    Where none is free, the gateway keeps its range.

    Args:
        taken: networks of the project, with the VPN ranges of its stacks.
    """
    own = [ReservedNetwork("the clone", each) for each in networks(checklist)]
    known = [*taken, *own, *(ReservedNetwork("the clone", each.network.cidr) for each in option.placements)]
    placements: list[ClusterSpec] = []
    for spec in option.placements:
        moved = spec
        if spec.vpn is not None:
            cidr = _range(known) or spec.vpn.cidr
            known.append(ReservedNetwork("the clone's VPN", cidr))
            moved = spec.model_copy(update={"vpn": spec.vpn.model_copy(update={"cidr": cidr})})
        placements.append(moved)
    return replace(option, placements=tuple(placements))


def _range(known: Sequence[ReservedNetwork]) -> IPv4Network | None:
    """The first free range of those for VPNs, else any free private one."""
    found = free_range(each.network for each in known)
    if found is not None:
        return found
    try:
        return find_free_range(LIKE, known)
    except InputError:
        return None
