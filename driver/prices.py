"""The price book that a command reckons with, and what of it is too old."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from catalogs.reader import CURRENT, load
from planning.price_age import too_old

if TYPE_CHECKING:
    from catalogs.reader import Catalog
    from planning.takeoff.takeoff import Book

__all__ = ["as_book", "price_book", "too_old"]


def price_book(name: str = CURRENT, *, own: str = "") -> Catalog:
    """A price book by name, with the customer's own prices from file `own` over it.

    Raises:
        CatalogError: no such book, a faulty row, or faults in the customer's file.
    """
    return load(name, override=Path(own) if own else None)


def as_book(catalog: Catalog) -> Book:
    """The same catalog to a takeoff, whose protocol a type checker does not find behind cached properties."""
    return cast("Book", cast("object", catalog))
