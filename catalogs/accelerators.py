"""Which accelerators there are: a small file, read without the price book."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from catalogs import parsing

if TYPE_CHECKING:
    from catalogs.model import Accelerator


@cache
def accelerators() -> tuple[Accelerator, ...]:
    """Every accelerator of the catalog; dated price books share it.

    Raises:
        CatalogError: a row cannot be read.
    """
    return tuple(parsing.each(Path(__file__).parent / "accelerators.csv", parsing.accelerator))
