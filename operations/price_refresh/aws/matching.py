"""Which row of the AWS price list is the price of which item: by its whole usage type, never by the end of one."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from operations.price_refresh.amounts import read_amount_text
from operations.price_refresh.model import FoundPrice
from planning.inputs.fact_tables import read_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import date

FOLDER: Final = Path(__file__).parent
# The region in front of a usage type: USE2-, APS1-, EU- for Ireland, nothing for us-east-1. TS- and Outposts- are none.
PREFIX: Final = re.compile(r"^(?:EU|[A-Z]{2,4}\d{1,2})-")
PLACE: Final = ("Region Code", "Location Type")
TRAFFIC: Final = ("From Region Code", "From Location Type")
REGION_TYPE: Final = "AWS Region"
FIRST: Final = "first"  # tier, which is the dearest: what a customer pays who is not large
USUAL: Final = "usual"  # price of several rows: the one that most of them have, the higher of two
MACHINE: Final = {
    "Tenancy": ("Shared",),
    "Operating System": ("Linux",),
    "Pre Installed S/W": ("NA",),
    "CapacityStatus": ("Used",),
    "MarketOption": ("OnDemand",),  # a capacity block has a row of its own
    "License Model": ("No License required",),
    "operation": ("RunInstances",),
    "Product Family": ("Compute Instance", "Compute Instance (bare metal)"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferItem:
    """A row of items.csv.

    Args:
        usage: the usage type without its region; "" for any.
        where: further columns with the value that they must have.
        choice: "first" tier, all "tiers", or the "usual" of several rows.
    """

    offer: str
    item: str
    usage: str
    where: Mapping[str, str]
    choice: str

    def matches(self, row: Mapping[str, str], *, region: str) -> bool:
        """Whether a row is a price of this item in a region, and in no local zone or outpost of it."""
        usage = self.usage.replace("{region}", region)
        place = TRAFFIC if row.get("Transfer Type") else PLACE
        return (
            tuple(map(row.get, place)) == (region, REGION_TYPE)
            and (not usage or PREFIX.sub("", row["usageType"]) == usage)
            and all(row.get(name) == value for name, value in self.where.items())
        )


@cache
def offer_items() -> tuple[OfferItem, ...]:
    """The rows of items.csv."""
    return tuple(
        OfferItem(
            offer=row["offer"],
            item=row["item"],
            usage=row["usage"],
            where=dict(_halves(each) for each in row["where"].split(";") if each),
            choice=row["choice"],
        )
        for row in read_rows(FOLDER / "items.csv")
    )


def _halves(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name, value


@cache
def _units() -> Mapping[str, tuple[str, Fraction]]:
    return {row["word"]: (row["unit"], Fraction(row["times"])) for row in read_rows(FOLDER / "units.csv")}


def find_prices(
    rows: Iterable[Mapping[str, str]], items: Iterable[OfferItem], *, region: str, published: date
) -> Iterator[FoundPrice]:
    """The services among the rows of an offer, each chosen as its item says."""
    known = {each.item: each for each in items}
    found: dict[str, list[FoundPrice]] = defaultdict(list)
    for row in rows:
        for name, item in known.items():
            if item.matches(row, region=region):
                found[name].append(_price(row, name, published=published))
    for name, prices in found.items():
        yield from dict.fromkeys(
            _choose(prices, known[name].choice)
        )  # several operations of one usage type cost the same


def find_machine(row: Mapping[str, str], *, region: str, published: date) -> FoundPrice | None:
    """The price of a machine with Linux, shared and on demand; None where a row is of anything else."""
    if tuple(map(row.get, PLACE)) != (region, REGION_TYPE) or any(
        row.get(name) not in values for name, values in MACHINE.items()
    ):
        return None
    return _price(row, row["Instance Type"], published=published, purchase="on_demand")


def _choose(prices: list[FoundPrice], choice: str) -> list[FoundPrice]:
    if choice == FIRST:
        return [each for each in prices if not each.above]
    if choice == USUAL:
        counted = Counter((each.unit, each.currency, each.amount) for each in prices if not each.above)
        most = max(counted.items(), key=lambda each: (each[1], each[0][2]), default=None)
        return [each for each in prices if most and (each.unit, each.currency, each.amount) == most[0]][:1]
    return prices


def _price(row: Mapping[str, str], item: str, *, published: date, purchase: str = "list") -> FoundPrice:
    unit, times = _units().get(row["Unit"].lower(), (row["Unit"], Fraction(1)))
    amount = (
        read_amount_text(row["PricePerUnit"], name=f"{item} of {row['usageType']}") if row["PricePerUnit"] else None
    )
    return FoundPrice(
        item=item,
        purchase=purchase,
        unit=unit,
        amount=Decimal("NaN") if amount is None else amount * times.numerator / times.denominator,
        currency=row["Currency"],
        above=Decimal(row["StartingRange"] or 0),
        as_of=published,
    )
