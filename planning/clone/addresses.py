"""A range of addresses for a clone that no network it may ever be joined to has."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import TYPE_CHECKING, Final

from planning.values.errors import InputError
from planning.values.vpn_addresses import RANGES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Where free ranges are looked for, in this order: what checklists usually begin with, then the rest of 10.0.0.0/8 that
# clouds and home routers leave alone, then the upper half of 172.16.0.0/12 (reasons: planning/values/vpn_addresses.py).
POOLS: Final = tuple(IPv4Network(each) for each in ("10.64.0.0/10", "10.128.0.0/9", "172.24.0.0/13"))
# Amazon EKS takes one of these for services where it is told none (its user guide, "Create a cluster": service IPv4
# range), so that a cluster of its customer may have it.
AVOIDED: Final = tuple(IPv4Network(each) for each in ("10.100.0.0/16", "172.20.0.0/16"))
SHOWN: Final = 3  # networks in the way that a refusal names


@dataclass(frozen=True, slots=True)
class Taken:
    """A network that is there already, and whose it is."""

    whose: str
    network: IPv4Network


def clashes(cidr: IPv4Network, taken: Sequence[Taken]) -> tuple[Taken, ...]:
    """Networks that have an address in common with a range."""
    return tuple(each for each in taken if each.network.overlaps(cidr))


def free(like: IPv4Network, taken: Sequence[Taken]) -> IPv4Network:
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


def _first(prefix: int, taken: Sequence[Taken]) -> IPv4Network | None:
    barred = (*RANGES, *AVOIDED)
    return next(
        (
            each
            for each in _candidates(prefix)
            if not clashes(each, taken) and not any(each.overlaps(other) for other in barred)
        ),
        None,
    )


def refuse_clash(cidr: IPv4Network, taken: Sequence[Taken]) -> None:
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
