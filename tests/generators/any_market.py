"""The catalog of today as of the day of its newest price, loaded once: a quote of a checklist is always the same."""

from __future__ import annotations

from datetime import date
from functools import cache

from catalogs.catalog import Catalog, load
from planning.quoting.candidates.market import Market


@cache
def catalog_now() -> Catalog:
    """The current price book."""
    return load()


@cache
def market_now() -> Market:
    """The market of the current price book."""
    return Market(catalog_now())


def _newest() -> date:
    newest = catalog_now().prices.newest
    if newest is None:
        raise ValueError("the current price book has no dated price")
    return newest


DAY = _newest()
