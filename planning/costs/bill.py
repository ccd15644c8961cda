"""Line items and bills: the one type that quote, lock, plan, diff and policy share."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Final

from planning.spec.lock_content import State
from planning.values.money import NOTHING, Range

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date
    from decimal import Decimal


class BillGroup(StrEnum):
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
    group: BillGroup
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


# Chapters of the keys that `planning.costs.charges` gives, with the words that name one component.
DEPTHS: Final = {
    "access": 2,
    "control_plane": 1,
    "logs": 1,
    "network": 1,
    "platform": 2,
    "pool": 2,
    "security": 1,
    "services": 1,
    "storage": 2,
}
_COUNTED: Final = re.compile(r"(?:#\d+|~\d+)+$")  # a price tier, and lines that share a key by chance


def component_of(key: str) -> str:
    """The component of a line: of "pool/train/machine#2" "pool/train", of "far/pool/train/disk" "far/pool/train".

    A resource that nobody of us placed is a component of its own, under its logical name.
    """
    words = _COUNTED.sub("", key).split("/")
    if words[0] in DEPTHS or len(words) == 1 or words[1] not in DEPTHS:
        return "/".join(words[: DEPTHS.get(words[0], 1)])
    return "/".join(words[: 1 + DEPTHS[words[1]]])


def in_part(component: str, part: str) -> bool:
    """Whether a component is the part, or lies in it: "pool/train" in "pool", "far/network" in "far"."""
    return component == part or component.startswith(f"{part}/")


def by_component(lines: Iterable[LineItem]) -> dict[str, tuple[LineItem, ...]]:
    """Lines under their components, in the order in which these come first."""
    found: dict[str, list[LineItem]] = {}
    for line in lines:
        found.setdefault(component_of(line.key), []).append(line)
    return {component: tuple(mine) for component, mine in found.items()}


def has_placement(key: str) -> bool:
    """Whether a key says where in a cluster its line belongs; a gap of a whole resource may not."""
    words = key.split("/")
    return words[0] in DEPTHS or (len(words) > 1 and words[1] in DEPTHS)


def placement_of(key: str) -> str:
    """The placement that a line's key begins with; "" at home, and where the key does not say."""
    words = key.split("/")
    return "" if words[0] in DEPTHS or not has_placement(key) else words[0]
