"""Line items and bills: the one type that quote, lock, plan, diff and policy share."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from planning.spec.lock_content import State
from planning.values.money import NOTHING, Range

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date
    from decimal import Decimal


class Group(StrEnum):
    """The chapters of a bill."""

    COMPUTE = "compute"
    CONTROL_PLANE = "control plane"
    STORAGE = "storage"
    NETWORK = "network"
    OBSERVABILITY = "observability"
    SECURITY = "security"
    SERVICES = "services"


@dataclass(frozen=True, slots=True, kw_only=True)
class LineItem:
    """What, how much of it, at which unit price, for how much a month.

    Args:
        key: stable identity inside one bill, as in "pool/train/machine"; a tier adds "#2".
        item: machine name or `catalogs.model.Item` word that was priced.
        quantity: units per month.
        usd_per_unit: None unless priced.
        usd_per_month: None when unpriced; zero when free.
        note: why it is free or unpriced, or what a reader should know ("undated", "sources differ by 12%").
        at_most_usd_per_month: of an unpriced line the most that it can come to, where something bounds it.
    """

    key: str
    label: str
    group: Group
    item: str
    state: State
    quantity: Range
    unit: str
    usd_per_unit: Decimal | None
    usd_per_month: Range | None
    source: str
    as_of: date | None
    note: str = ""
    at_most_usd_per_month: Decimal | None = None


@dataclass(frozen=True)
class Bill:
    """Ordered line items. Totals cover priced lines only, so they are a floor while `unpriced` is not empty."""

    lines: tuple[LineItem, ...]

    @cached_property
    def usd_per_month(self) -> Range:
        """Sum of the priced lines."""
        return total(self.lines)

    @property
    def unpriced(self) -> tuple[LineItem, ...]:
        """Lines whose price nobody knows."""
        return tuple(line for line in self.lines if line.state is State.UNPRICED)


def total(lines: Iterable[LineItem]) -> Range:
    """Sum of what is priced among `lines`, USD per month."""
    amount = NOTHING
    for line in lines:
        if line.usd_per_month is not None:
            amount += line.usd_per_month
    return amount
