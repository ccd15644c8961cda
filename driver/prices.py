"""The price book that a command reckons with, and what of it is too old."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from catalogs.age import past_limit
from catalogs.model import Item
from catalogs.reader import CURRENT, load

if TYPE_CHECKING:
    from datetime import date

    from catalogs.reader import Catalog
    from planning.bill import Bill, LineItem
    from planning.takeoff.takeoff import Book

SERVICES: Final = frozenset(Item)


def price_book(name: str = CURRENT, *, own: str = "") -> Catalog:
    """A price book by name, with the customer's own prices from file `own` over it.

    Raises:
        CatalogError: no such book, a faulty row, or faults in the customer's file.
    """
    return load(name, override=Path(own) if own else None)


def as_book(catalog: Catalog) -> Book:
    """The same catalog to a takeoff, whose protocol a type checker does not find behind cached properties."""
    return cast("Book", cast("object", catalog))


def too_old(bill: Bill, *, today: date) -> tuple[LineItem, ...]:
    """Lines whose price is older than its kind may be; an undated price is not too old, it is undated."""
    return tuple(line for line in bill.lines if past_limit(line.as_of, today=today, machine=line.item not in SERVICES))
