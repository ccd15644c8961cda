"""Where each provider sells: a small file, read without the price book."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from catalogs import parsing

if TYPE_CHECKING:
    from catalogs.model import Region


@cache
def regions() -> tuple[Region, ...]:
    """Every region of the current catalog.

    Raises:
        CatalogError: a row cannot be read.
    """
    return tuple(parsing.each(Path(__file__).parent / "regions.csv", parsing.region))
