"""Which meter of Azure is the price of which item, and which row of Virtual Machines that of which machine."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from catalogs.parsing import HOUR, unit_of
from operations.price_refresh.model import FoundPrice
from planning.inputs.fact_tables import read_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import date

    from operations.price_refresh.azure.pages import RetailRow

TABLE: Final = Path(__file__).with_name("items.csv")
TIERS: Final = "tiers"
MACHINES: Final = "Virtual Machines"
MACHINE_HOUR: Final = "1 Hour"
WINDOWS: Final = re.compile(r"\bWin(dows)?\b")  # "Srs Win" in some series of GPUs
OTHER_PRODUCTS: Final = ("Dedicated Host", "Cloud Services", "CloudServices")
LOW_PRIORITY: Final = "Low Priority"
SPOT: Final = " Spot"


@dataclass(frozen=True, slots=True, kw_only=True)
class MeterItem:
    """A row of items.csv.

    Args:
        place: "region", or "global" for what Azure prices without a region.
        unit: of the meter; a row in another unit is passed on as it is, and refused.
        choice: the first tier that is "paid" (the first may be an allowance), or all "tiers".
    """

    item: str
    place: str
    service: str
    product: str
    meter: str
    unit: str
    times: Fraction
    choice: str

    def matches(self, row: RetailRow) -> bool:
        return (row.service, row.product, row.meter) == (self.service, self.product, self.meter)


@cache
def meter_items(place: str) -> tuple[MeterItem, ...]:
    """The rows of items.csv of one kind of place."""
    return tuple(
        MeterItem(
            item=row["item"],
            place=row["place"],
            service=row["service"],
            product=row["product"],
            meter=row["meter"],
            unit=row["unit"],
            times=Fraction(row["times"]),
            choice=row["choice"],
        )
        for row in read_rows(TABLE)
        if row["place"] == place
    )


def meters_filter(items: Iterable[MeterItem]) -> str:
    """The OData condition under which all these meters are found."""
    products = sorted({(each.service, each.product) for each in items})
    meters = (f"(serviceName eq '{service}' and productName eq '{product}')" for service, product in products)
    return f"({' or '.join(meters)})"


def find_services(rows: Iterable[RetailRow], items: Iterable[MeterItem], *, today: date) -> Iterator[FoundPrice]:
    """The price of each item whose meter is among the rows."""
    known = tuple(items)
    found: dict[str, list[RetailRow]] = defaultdict(list)
    for row in rows:
        for item in known:
            if item.matches(row):
                found[item.item].append(row)
    for item in known:
        tiers = sorted(_own(found[item.item]), key=lambda row: row.above)
        if item.choice == TIERS:
            yield from (_price(row, item, today=today) for row in tiers)
            continue
        paid = next((row for row in tiers if row.amount), None)
        first = [row for row in tiers if paid and row.above == paid.above] or tiers
        yield from (_price(row, item, today=today, flat=True) for row in first)


def find_machines(rows: Iterable[RetailRow], *, today: date) -> list[FoundPrice]:
    """Machines with Linux, on demand and spot; a row that is repeated word for word counts once."""
    found: dict[FoundPrice, None] = {}
    for row in _own(rows):
        other = any(name in row.product for name in OTHER_PRODUCTS) or WINDOWS.search(row.product)
        if other or row.service != MACHINES or not row.machine or LOW_PRIORITY in f"{row.sku} {row.meter}":
            continue
        price = FoundPrice(
            item=row.machine,
            purchase="spot" if row.sku.endswith(SPOT) or row.meter.endswith(SPOT) else "on_demand",
            unit=HOUR if row.unit == MACHINE_HOUR else row.unit,
            amount=row.amount,
            currency=row.currency,
            above=row.above,
            as_of=today,
        )
        found[price] = None
    return list(found)


def _own(rows: Iterable[RetailRow]) -> list[RetailRow]:
    """The rows of a meter's own region where it has one; else those that are repeated from another."""
    every = list(rows)
    own = {(row.service, row.product, row.sku, row.meter) for row in every if row.primary}
    return [row for row in every if row.primary or (row.service, row.product, row.sku, row.meter) not in own]


def _price(row: RetailRow, item: MeterItem, *, today: date, flat: bool = False) -> FoundPrice:
    known = row.unit == item.unit
    return FoundPrice(
        item=item.item,
        unit=unit_of(item.item) if known else row.unit,
        amount=row.amount * item.times.numerator / item.times.denominator if known else row.amount,
        currency=row.currency,
        above=row.above * 0 if flat else row.above,
        as_of=today,
    )
