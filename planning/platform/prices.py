"""What a cluster's nodes cost by the accepted bill: what it shows of money comes from the lock, not from a cloud."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Final, Protocol

from planning.money import ZERO

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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
    """

    usd_per_hour: Mapping[str, Decimal] = field(default_factory=dict[str, Decimal])
    other_usd_per_month: Decimal = ZERO


def node_prices(bill: Iterable[Line]) -> NodePrices:
    """Prices of the nodes at home, and the rest of a lock's bill. A pool of several tiers has its dearest price."""
    prices: dict[str, Decimal] = {}
    other = ZERO
    for line in bill:
        found = MACHINE.fullmatch(line.key)
        if found is None:
            other += line.usd_per_month[1] if line.usd_per_month else ZERO
        elif line.usd_per_unit is not None:
            prices[found["pool"]] = max(line.usd_per_unit, prices.get(found["pool"], ZERO))
    return NodePrices(usd_per_hour=prices, other_usd_per_month=other)
