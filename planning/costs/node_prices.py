"""What a cluster's nodes cost by the accepted bill: what it shows of money comes from the lock, not from a cloud."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from planning.values.money import HOURS_PER_MONTH, ZERO

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from planning.spec.lock_content import LockedLine

READINGS: Final = ("min", "expected", "max")
MOST: Final = "max"
# At home; other placements' keys have a name before.
MACHINE: Final = re.compile(r"pool/(?P<pool>[^/#]+)/machine(?:#\d+)?")
NODE: Final = re.compile(r"(?P<place>(?:[^/]+/)?)pool/(?P<pool>[^/#]+)/(?P<what>machine|disk)[^/]*")
NAT: Final = "network/nat_gateway"
SHARE: Final = "services/support"  # a part of the bill, so that it grows with it
STATED: Final = "checklist"  # source of a fee that is no share (`planning.costs.pricing.STATED_SOURCE`)


@dataclass(frozen=True, slots=True, kw_only=True)
class NodePrices:
    """Money of a cluster.

    Args:
        usd_per_hour: of one node, by pool; pools without a price are left out.
        other_usd_per_month: everything else in the bill, as expected: control plane, disks, traffic, people, and
            clusters beside this one.
        most_usd_per_hour: of one node, at most: where another purchase may take the place of the pool's own.
        other_most_usd_per_month: everything else in the bill, at most; additional placements, whose nodes this cluster
            does not see, as the ceiling counts them.
    """

    usd_per_hour: Mapping[str, Decimal] = field(default_factory=dict[str, Decimal])
    other_usd_per_month: Decimal = ZERO
    most_usd_per_hour: Mapping[str, Decimal] = field(default_factory=dict[str, Decimal])
    other_most_usd_per_month: Decimal = ZERO


def node_prices(
    bill: Iterable[LockedLine],
    *,
    beside: Sequence[str] = (),
    binds: str = MOST,
    nodes: Mapping[str, int] | None = None,
    ceiling_usd: Decimal | None = None,
) -> NodePrices:
    """Prices of the primary nodes, and the rest of a lock's bill. A pool of several tiers has its highest price.

    Args:
        beside: names of the additional placements.
        binds: which amount of theirs the ceiling counts: "min", "expected" or "max".
        nodes: the most of each primary pool, as in `growth`, so that what is paid by the node is counted for all of
            them, all month; None where the bill's own most is enough.
        ceiling_usd: a month that the guard holds the bill to, of which support is a part.
    """
    lines = tuple(bill)
    grown = growth(lines, nodes or {}, ceiling_usd=ceiling_usd)
    prices: dict[str, Decimal] = {}
    most: dict[str, Decimal] = {}
    other, other_most = ZERO, ZERO
    for line in lines:
        found = MACHINE.fullmatch(line.key)
        if found is None:
            there = line.key.partition("/")[0] in beside
            other += _amount(line, "expected")
            other_most += _amount(line, binds if there else MOST) + grown.get(line.key, ZERO)
        elif line.usd_per_unit is not None:
            pool = found["pool"]
            prices[pool] = max(line.usd_per_unit, prices.get(pool, ZERO))
            most[pool] = max(_most(line, line.usd_per_unit), most.get(pool, ZERO))
    return NodePrices(
        usd_per_hour=prices,
        other_usd_per_month=other,
        most_usd_per_hour=most,
        other_most_usd_per_month=other_most,
    )


def growth(
    bill: Sequence[LockedLine], nodes: Mapping[str, int], *, ceiling_usd: Decimal | None = None
) -> dict[str, Decimal]:
    """By how much lines grow above their most when every node is up all month: USD a month, by key.

    Args:
        nodes: the most of each pool, under its keys' beginning: "pool/train", of an additional
            placement "far/pool/train". Machines without a price do not grow.
        ceiling_usd: a month above which nothing grows, so that a share of the bill does not either.
    """
    most = sum((_amount(line, MOST) for line in bill), start=ZERO)
    room = None if ceiling_usd is None else max(ceiling_usd - most, ZERO)
    factors = _factors(bill, nodes)
    found: dict[str, Decimal] = {}
    for line in bill:
        node = NODE.fullmatch(line.key)
        if node is not None and line.usd_per_month is not None:
            full, most = factors.get(f"{node['place']}pool/{node['pool']}", (ZERO, ZERO))
            if full > most:
                found[line.key] = line.usd_per_month[2] * (full / most - 1)
    for place in dict.fromkeys(component.rpartition("pool/")[0] for component in factors):
        _grow_others(bill, place, factors, found, room=room)
    return found


def _factors(bill: Iterable[LockedLine], nodes: Mapping[str, int]) -> dict[str, tuple[Decimal, Decimal]]:
    """Node hours of each pool with all nodes all month, and in the busiest month of the bill."""
    hours: dict[str, Decimal] = {}
    for line in bill:
        node = NODE.fullmatch(line.key)
        if node is not None and node["what"] == "machine":
            component = f"{node['place']}pool/{node['pool']}"
            hours[component] = hours.get(component, ZERO) + line.quantity[2]
    return {each: (nodes[each] * HOURS_PER_MONTH, hours[each]) for each in hours if hours[each] and each in nodes}


def _grow_others(
    bill: Iterable[LockedLine],
    place: str,
    factors: Mapping[str, tuple[Decimal, Decimal]],
    found: dict[str, Decimal],
    *,
    room: Decimal | None,
) -> None:
    """What is paid by the node beside it (Google Cloud's NAT), and the part of the bill that support is."""
    here = {name: ends for name, ends in factors.items() if name.rpartition("pool/")[0] == place}
    most = sum((ends[1] for ends in here.values()), start=ZERO)
    more = sum((max(full - used, ZERO) for full, used in here.values()), start=ZERO)
    for line in bill:
        if (
            line.key == f"{place}{NAT}"
            and more
            and line.usd_per_unit is not None
            and round(line.quantity[2] - most, 6) == 0
        ):
            found[line.key] = more * _most(line, line.usd_per_unit)  # of an estimate the most expensive region's
    for line in bill:
        if line.key == f"{place}{SHARE}" and line.usd_per_unit is not None and line.source != STATED:
            mine = (
                usd
                for key, usd in found.items()
                if key.startswith(place) and (place or key == NAT or key.startswith("pool/"))
            )
            more_usd = sum(mine, start=ZERO)
            found[line.key] = line.usd_per_unit * (more_usd if room is None else min(more_usd, room))


def _amount(line: LockedLine, reading: str) -> Decimal:
    return line.usd_per_month[READINGS.index(reading)] if line.usd_per_month else ZERO


def _most(line: LockedLine, usd_per_unit: Decimal) -> Decimal:
    """A unit of the worst month: at a fallback's price, or that of the most expensive region of an estimate."""
    if line.usd_per_month is None or not line.quantity[2]:
        return usd_per_unit
    return max(usd_per_unit, line.usd_per_month[2] / line.quantity[2])
