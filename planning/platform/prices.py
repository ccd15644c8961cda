"""What a cluster's nodes cost by the accepted bill: what it shows of money comes from the lock, not from a cloud."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Final, Protocol

from planning.money import ZERO

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

READINGS: Final = ("min", "expected", "max")
MOST: Final = "max"
MACHINE: Final = re.compile(
    r"pool/(?P<pool>[^/#]+)/machine(?:#\d+)?"
)  # at home; other placements' keys have a name before


class Line(Protocol):
    """What is read of a line of a lock's bill."""

    @property
    def key(self) -> str:
        """As in "pool/train/machine"."""
        ...

    @property
    def usd_per_unit(self) -> Decimal | None:
        """Of a machine: an hour."""
        ...

    @property
    def quantity(self) -> tuple[Decimal, Decimal, Decimal]:
        """Least, expected, most; of machines: hours."""
        ...

    @property
    def usd_per_month(self) -> tuple[Decimal, Decimal, Decimal] | None:
        """Least, expected, most."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class NodePrices:
    """Money of a cluster.

    Args:
        usd_per_hour: of one node, by pool; pools whose price nobody knows are left out.
        other_usd_per_month: everything else in the bill, as expected: control plane, disks, traffic, people, and
            clusters beside this one.
        most_usd_per_hour: of one node, at most: where another purchase may take the place of the pool's own.
        other_most_usd_per_month: everything else in the bill, at most; clusters beside this one, whose nodes nobody
            here sees, as the ceiling counts them.
    """

    usd_per_hour: Mapping[str, Decimal] = field(default_factory=dict[str, Decimal])
    other_usd_per_month: Decimal = ZERO
    most_usd_per_hour: Mapping[str, Decimal] = field(default_factory=dict[str, Decimal])
    other_most_usd_per_month: Decimal = ZERO


def node_prices(bill: Iterable[Line], *, beside: Sequence[str] = (), binds: str = MOST) -> NodePrices:
    """Prices of the nodes at home, and the rest of a lock's bill. A pool of several tiers has its dearest price.

    Args:
        beside: names of the placements beside home.
        binds: which amount of theirs the ceiling counts: "min", "expected" or "max".
    """
    prices: dict[str, Decimal] = {}
    most: dict[str, Decimal] = {}
    other, other_most = ZERO, ZERO
    for line in bill:
        found = MACHINE.fullmatch(line.key)
        if found is None:
            there = line.key.partition("/")[0] in beside
            other += _amount(line, "expected")
            other_most += _amount(line, binds if there else MOST)
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


def _amount(line: Line, reading: str) -> Decimal:
    return line.usd_per_month[READINGS.index(reading)] if line.usd_per_month else ZERO


def _most(line: Line, usd_per_unit: Decimal) -> Decimal:
    """An hour of the worst month: its hours may all be bought at a fallback's price."""
    if line.usd_per_month is None or not line.quantity[2]:
        return usd_per_unit
    return max(usd_per_unit, line.usd_per_month[2] / line.quantity[2])
