"""A range of addresses for a clone that no network it may ever be joined to has."""

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


# Where free ranges are looked for, in this order: what checklists usually begin with, then the rest of 10.0.0.0/8 that
# clouds and home routers leave alone, then the upper half of 172.16.0.0/12 (reasons: planning/values/addresses.py).
POOLS: Final = tuple(IPv4Network(each) for each in ("10.64.0.0/10", "10.128.0.0/9", "172.24.0.0/13"))
# Amazon EKS takes one of these for services where it is told none (its user guide, "Create a cluster": service IPv4
# range), so that a cluster of its customer may have it.
AVOIDED: Final = tuple(IPv4Network(each) for each in ("10.100.0.0/16", "172.20.0.0/16"))
SHOWN: Final = 3  # networks in the way that a refusal names


@dataclass(frozen=True, slots=True)
class ReservedNetwork:
    """A network that is there already, and whose it is."""

    whose: str
    network: IPv4Network


def clashes(cidr: IPv4Network, taken: Sequence[ReservedNetwork]) -> tuple[ReservedNetwork, ...]:
    """Networks that have an address in common with a range."""
    return tuple(each for each in taken if each.network.overlaps(cidr))


def find_free_range(like: IPv4Network, taken: Sequence[ReservedNetwork]) -> IPv4Network:
    """The first range as wide as `like` that nobody has.

    Raises:
        InputError: there is none left.
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
    """Refuse a range that was asked for and that somebody has.

    Raises:
        InputError: names every network in the way, and a range that is free.
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
    """The same option with a VPN range for each of its gateways that nobody has; nothing of it has a price.

    Where no range is left, the gateway keeps the one it has, as two stacks of other projects may.

    Args:
        taken: networks of the project, the VPN ranges of its stacks among them.
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
    """The first of the VPN's own ranges that is free, else any private one."""
    found = free_range(each.network for each in known)
    if found is not None:
        return found
    try:
        return find_free_range(LIKE, known)
    except InputError:
        return None
