"""Charges, line items and bills: the types that quote, lock, plan, diff and policy share.

A bill is priced from the charges of a spec, the cost of a stack from those of registered resources. What a resource's
own properties cannot say (volumes, busy hours, services) its component declares as charges in its inputs, so that both
sides can be counted.
"""

from __future__ import annotations

import re
from dataclasses import KW_ONLY, dataclass
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Final, cast

from planning.spec.lock_content import TO_BE_CONFIRMED, LockedLine, State
from planning.values.money import HOURS_PER_MONTH, NOTHING, Range

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import date


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
        usd_per_unit: None unless priced or estimated; of an estimate the expected one.
        usd_per_month: None when unpriced; zero when free; of an estimate from the least to the most expensive region.
        note: what an estimate leans on, why it is free or unpriced, or what a reader should know ("undated", "sources
            differ by 12%").
        entered: day on which an undated price entered the catalog.
        at_most_usd_per_month: of an unpriced line the most that it can come to, where something bounds it.
        list_usd_per_unit: of a discounted price, what the list asks.
        usd_per_unit_range: of an estimate, in the least and the most expensive region, with the expected price between.
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
    list_usd_per_unit: Decimal | None = None
    usd_per_unit_range: Range | None = None
    entered: date | None = None


@dataclass(frozen=True)
class Bill:
    """Ordered line items. Totals cover priced and estimated lines: a floor while `unpriced` is not empty."""

    lines: tuple[LineItem, ...]

    @cached_property
    def usd_per_month(self) -> Range:
        return total(self.lines)

    @property
    def unpriced(self) -> tuple[LineItem, ...]:
        """Lines without a price."""
        return tuple(line for line in self.lines if line.state is State.UNPRICED)

    @property
    def estimated(self) -> tuple[LineItem, ...]:
        """Lines whose price is an estimate."""
        return tuple(line for line in self.lines if line.state is State.ESTIMATED)


def lock_line(line: LineItem) -> LockedLine:
    """The line as a lock keeps it."""
    return LockedLine(
        key=line.key,
        label=line.label,
        item=line.item,
        state=line.state,
        unit=line.unit,
        quantity=line.quantity.readings,
        usd_per_unit=line.usd_per_unit,
        usd_per_month=line.usd_per_month and line.usd_per_month.readings,
        source=line.source,
        as_of=line.as_of,
        basis=f"{TO_BE_CONFIRMED}; {line.note}" if line.state is State.ESTIMATED else "",
    )


def total(lines: Iterable[LineItem]) -> Range:
    """Sum of what is priced or estimated among `lines`, USD per month."""
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

    A resource outside the lock is a component of its own, under its logical name.
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
    """The placement in a line's key; "" for the primary one, and where the key does not say."""
    words = key.split("/")
    return "" if words[0] in DEPTHS or not has_placement(key) else words[0]


LIST_PRICE: Final = "list"
CHARGES_INPUT: Final = "charges"  # input of an atoll component that holds declared charges


@dataclass(frozen=True, slots=True)
class Charge:
    """How much of what is paid for in a month.

    Args:
        key: stable identity inside one bill, as in "pool/train/machine".
        item: machine name or `catalogs.model.Item` word.
        purchase: a word of terms.csv; "list" for services.
        quantity: units of the price list (hours, GB-months, ...) in a month.
        stated_usd: unit price that the checklist states itself, where no catalog knows it.
        of_bill: the quantity is the rest of the bill in USD, as for a support plan that is a share of the spend.
        note: carried to the line item.
        at: "provider/region" where it is paid somewhere else than the rest of its cluster, as the main cloud's end of
            a tunnel is; "" for the cluster's own place.
        fallback: purchase that the maximum is calculated at, as a spot pool may end up on demand; "" for none.
    """

    key: str
    label: str
    group: BillGroup
    item: str
    quantity: Range
    _: KW_ONLY
    purchase: str = LIST_PRICE
    stated_usd: Decimal | None = None
    of_bill: bool = False
    note: str = ""
    at: str = ""
    fallback: str = ""


def gb_months(hours: Range, gb: Decimal | int) -> Range:
    """GB-months of disks of `gb` GB that exist for `hours` disk-hours."""
    # Multiplied before it is divided, on both sides of a bill, so that they agree to the last digit.
    return Range(*(reading * gb / HOURS_PER_MONTH for reading in hours.readings))


def to_inputs(charge: Charge) -> dict[str, object]:
    """The charge as plain component inputs: strings for amounts, so that no engine turns them into floats."""
    inputs: dict[str, object] = {
        "key": charge.key,
        "label": charge.label,
        "group": charge.group.value,
        "item": charge.item,
        "purchase": charge.purchase,
        "quantity": range_to_inputs(charge.quantity),
    }
    if charge.stated_usd is not None:
        inputs["statedUsd"] = str(charge.stated_usd)
    if charge.of_bill:
        inputs["ofBill"] = True
    texts = {"note": charge.note, "at": charge.at, "fallback": charge.fallback}
    return {**inputs, **{name: text for name, text in texts.items() if text}}


def from_inputs(inputs: Mapping[str, object]) -> Charge:
    """The charge that `to_inputs` wrote.

    Raises:
        ValueError: a field is missing, unknown to us, or not a number; the message names it.
    """
    try:
        stated = inputs.get("statedUsd")
        return Charge(
            key=str(inputs["key"]),
            label=str(inputs["label"]),
            group=BillGroup(str(inputs["group"])),
            item=str(inputs["item"]),
            purchase=str(inputs["purchase"]),
            quantity=range_from_inputs(inputs["quantity"]),
            stated_usd=None if stated is None else Decimal(str(stated)),
            of_bill=bool(inputs.get("ofBill", False)),
            note=str(inputs.get("note", "")),
            at=str(inputs.get("at", "")),
            fallback=str(inputs.get("fallback", "")),
        )
    except (KeyError, InvalidOperation) as error:
        raise ValueError(f"a declared charge is not readable: {error}") from error


def range_to_inputs(quantity: Range) -> dict[str, str]:
    return {"min": str(quantity.min), "expected": str(quantity.expected), "max": str(quantity.max)}


def range_from_inputs(inputs: object) -> Range:
    """The range that `range_to_inputs` wrote.

    Raises:
        ValueError: not three rising numbers.
    """
    if not isinstance(inputs, dict):
        raise ValueError(f"not a range: {inputs!r}")  # noqa: TRY004 - bad input, like the other faults here
    fields = cast("dict[object, object]", inputs)
    try:
        return Range(*(Decimal(str(fields[name])) for name in ("min", "expected", "max")))
    except (KeyError, InvalidOperation) as error:
        raise ValueError(f"not a range: {inputs!r}") from error
