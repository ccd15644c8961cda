"""Every reader of prices: a table of them, each imported once it is asked."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from operations.price_refresh.model import ReaderEntry, SectionKind
from planning.inputs.fact_tables import read_rows

if TYPE_CHECKING:
    from collections.abc import Mapping

    from operations.price_refresh.model import PriceReader

TABLE: Final = Path(__file__).with_name("readers.csv")


@cache
def reader_entries() -> tuple[ReaderEntry, ...]:
    """The rows of readers.csv in their order."""
    return tuple(
        ReaderEntry(
            id=row["id"],
            title=row["title"],
            providers=tuple(row["providers"].split()),
            kinds=tuple(map(SectionKind, row["kinds"].split())),
            module=row["module"],
            address=row["address"],
            keys=tuple(row["keys"].split()),
            rank=int(row["rank"]),
        )
        for row in read_rows(TABLE)
    )


def reader_of(entry: ReaderEntry) -> PriceReader:
    """The module that reads, imported now."""
    return cast("PriceReader", cast("object", import_module(entry.module)))


def address_of(entry: ReaderEntry, environment: Mapping[str, str]) -> str:
    """Where a reader asks: its public address, or the one of a mirror that the environment names."""
    return (environment.get(entry.address_variable) or entry.address).rstrip("/")


def missing_key(entry: ReaderEntry, environment: Mapping[str, str]) -> str:
    """The first environment variable that a reader needs and that is not set; "" for none."""
    return next((each for each in entry.keys if not environment.get(each)), "")
