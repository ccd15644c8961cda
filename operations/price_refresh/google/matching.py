"""Which SKU of Google is the price of which item, and of which SKUs a machine is the sum."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from catalogs.parsing import HOUR, unit_of
from operations.price_refresh.google.skus import GLOBAL
from operations.price_refresh.model import FoundPrice
from planning.inputs.fact_tables import read_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import date

    from catalogs.model import Machine
    from operations.price_refresh.google.skus import BillingSku

FOLDER: Final = Path(__file__).parent
EXACT: Final = "exact"
USUAL: Final = "usual"  # tiers of several SKUs (destinations of traffic): those that most of them have
ON_DEMAND: Final = "OnDemand"
OTHER_PRODUCTS: Final = ("Early Delete", "Dual-region", "Multi-region", "Reduced Redundancy")
MONTH: Final = Decimal(730)  # hours
LOCAL_SSD: Final = "SSD backed Local Storage"
SHAPE: Final = re.compile(r"(?P<family>[a-z0-9]+-[a-z]+)-\d+g?(-lssd)?")  # shared cores, as of e2-micro, have another
PURCHASES: Final = {
    "on_demand": (ON_DEMAND, "{}", "{}"),
    "spot": ("Preemptible", "Spot Preemptible {}", "{} attached to Spot Preemptible VMs"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SkuItem:
    """A row of items.csv.

    Args:
        match: whether the description without its place is "exact", or only begins so ("prefix").
        group: resource group that it must have; "" for any.
        choice: the first tier that is "paid", or the tiers that are "usual".
    """

    item: str
    service: str
    description: str
    match: str
    group: str
    unit: str
    choice: str

    def matches(self, sku: BillingSku) -> bool:
        named = sku.name == self.description if self.match == EXACT else sku.description.startswith(self.description)
        other = any(word in sku.description for word in OTHER_PRODUCTS)
        return named and sku.usage == ON_DEMAND and not other and self.group in ("", sku.group)


@cache
def sku_items() -> tuple[SkuItem, ...]:
    """The rows of items.csv."""
    return tuple(SkuItem(**row) for row in read_rows(FOLDER / "items.csv"))


@cache
def _families() -> Mapping[str, tuple[str, str, str]]:
    return {row["family"]: (row["core"], row["ram"], row["gpu"]) for row in read_rows(FOLDER / "families.csv")}


def machine_names() -> frozenset[str]:
    """The descriptions of which machines are sums."""
    parts = {part for family in _families().values() for part in family if part} | {LOCAL_SSD}
    return frozenset(
        pattern.format(part) for part in parts for _, *patterns in PURCHASES.values() for pattern in patterns
    )


def find_services(skus: Iterable[BillingSku], *, region: str) -> Iterator[FoundPrice]:
    """The price of each item in a region: of its own SKUs there, else of those that hold everywhere."""
    found: dict[str, list[BillingSku]] = defaultdict(list)
    for sku in skus:
        for item in sku_items():
            if item.matches(sku):
                found[item.item].append(sku)
    for item in sku_items():
        own = [sku for sku in found[item.item] if region in sku.regions]
        yield from _choose(own or [sku for sku in found[item.item] if GLOBAL in sku.regions], item)


def _choose(skus: list[BillingSku], item: SkuItem) -> Iterator[FoundPrice]:
    if item.choice == USUAL:
        counted = Counter(sku.tiers for sku in skus)
        most = max(counted, key=lambda tiers: (counted[tiers], tiers), default=())
        for sku in [each for each in skus if each.tiers == most][:1]:
            yield from (_price(sku, item, amount=amount, above=above) for above, amount in sku.tiers)
        return
    for amount, sku in {_first_paid(sku): sku for sku in skus}.items():
        yield _price(sku, item, amount=amount, above=Decimal(0))


def _first_paid(sku: BillingSku) -> Decimal:
    """The first tier that costs anything: Google puts allowances in front; 0 where all are free."""
    return next((amount for _, amount in sku.tiers if amount), Decimal(0))


def _price(sku: BillingSku, item: SkuItem, *, amount: Decimal, above: Decimal) -> FoundPrice:
    return FoundPrice(
        item=item.item,
        unit=unit_of(item.item) if sku.unit == item.unit else sku.unit,
        amount=amount,
        currency=sku.currency,
        above=above,
        as_of=sku.since,
    )


def find_machines(skus: Iterable[BillingSku], machines: Iterable[Machine], *, region: str) -> Iterator[FoundPrice]:
    """Machines whose parts all have one price in a region: cores, memory, GPUs and the local disks that come along."""
    parts: dict[tuple[str, str], set[tuple[Decimal, str, str]]] = defaultdict(set)
    dates: dict[tuple[str, str], date] = {}
    for sku in skus:
        if region in sku.regions:
            parts[sku.usage, sku.name].add((_first_paid(sku), sku.unit, sku.currency))
            dates[sku.usage, sku.name] = sku.since
    for machine in machines:
        for purchase in PURCHASES:
            needed = _list_parts(machine, purchase)
            prices = [parts.get((PURCHASES[purchase][0], name), set()) for name, _, _ in needed]
            if not needed or any(len(each) != 1 for each in prices):
                continue  # a sum without one of its parts would be too low
            ((_, _, currency),) = prices[0]
            whole = all(
                unit == wanted for each, (_, wanted, _) in zip(prices, needed, strict=True) for _, unit, _ in each
            )
            amount = sum(
                (usd * count for each, (_, _, count) in zip(prices, needed, strict=True) for usd, _, _ in each),
                Decimal(0),
            )
            yield FoundPrice(
                item=machine.name,
                purchase=purchase,
                unit=HOUR if whole else "a sum of other units",
                amount=amount,
                currency=currency,
                as_of=min(dates[PURCHASES[purchase][0], name] for name, _, _ in needed),
            )


def _list_parts(machine: Machine, purchase: str) -> list[tuple[str, str, Decimal]]:
    """Description, unit and quantity of each part of an hour; none where the shape or a size is not known."""
    shape = SHAPE.fullmatch(machine.name)
    family = _families().get(shape["family"]) if shape else None
    known = machine.vcpus and machine.memory_gib and machine.local_nvme_gb is not None
    if family is None or not known or bool(family[2]) != bool(machine.accelerators):
        return []
    core, ram, gpu = family
    _, named, attached = PURCHASES[purchase]
    found = [
        (named.format(core), "h", Decimal(machine.vcpus or 0)),
        (named.format(ram), "GiBy.h", machine.memory_gib or Decimal(0)),
    ]
    if gpu:
        found.append((attached.format(gpu), "h", Decimal(machine.accelerators)))
    if machine.local_nvme_gb:
        found.append((attached.format(LOCAL_SSD), "GiBy.mo", machine.local_nvme_gb / MONTH))
    return found
