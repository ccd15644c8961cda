"""The rows of promises.csv alone, for who may read no price: the program."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from catalogs import parsing
from catalogs.commitments import read_promise

if TYPE_CHECKING:
    from collections.abc import Mapping

    from catalogs.commitments import Promise

FILE: Final = Path(__file__).parent / "promises.csv"


@cache
def promises() -> Mapping[str, Promise]:
    """By name.

    Raises:
        CatalogError: a row that cannot be read.
    """
    return {each.name: each for each in parsing.each(FILE, read_promise)}
