"""The price book of a command, its stale prices, and custom prices that no line uses."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast, overload

from catalogs.catalog import CURRENT, load
from catalogs.model import OWN_PREFIX, Method

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date

    from catalogs.catalog import Catalog
    from planning.costs.bill import Bill
    from planning.costs.resources.stack_cost import CostingBook


@overload
def price_book(name: str = CURRENT) -> Catalog: ...


@overload
def price_book(name: str = CURRENT, *, own: str, today: date) -> Catalog: ...


def price_book(name: str = CURRENT, *, own: str = "", today: date | None = None) -> Catalog:
    """A price book by name, with the customer's own prices from file `own` over it.

    Args:
        today: the day after which no own price may be dated.

    Raises:
        CatalogError: no such book, a faulty row, or faults in the customer's file.
    """
    if not own:
        return load(name)
    return load(name, override=Path(own), today=today)


def describe_unused_lines(catalog: Catalog, bills: Iterable[Bill]) -> str:
    """Which lines of the customer's own book price nothing in these bills, in words; "" where each prices something."""
    priced = {line.source for bill in bills for line in bill.lines}
    own = (source.id for source in catalog.sources.values() if source.method is Method.OWN)
    unused = [each.removeprefix(OWN_PREFIX) for each in own if each not in priced]
    if not unused:
        return ""
    what = f"line {unused[0]} prices" if len(unused) == 1 else f"lines {', '.join(unused)} price"
    return f"of your price book, {what} nothing here"


def as_book(catalog: Catalog) -> CostingBook:
    """The same catalog to a takeoff, whose protocol a type checker does not find behind cached properties."""
    return cast("CostingBook", cast("object", catalog))
