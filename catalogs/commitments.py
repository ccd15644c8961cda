"""What a provider can be held to, and the steps of a handover: rows of promises.csv and handover_steps.csv."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from catalogs import parsing
from catalogs.parsing import day, money, read_count

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date
    from decimal import Decimal

    from catalogs.parsing import Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """What a provider can be held to: one figure, or several that belong together, of promises.csv."""

    name: str
    values: tuple[Decimal, ...]
    unit: str
    text: str
    source: str
    as_of: date | None

    @property
    def value(self) -> Decimal:
        """The first, where there is but one."""
        return self.values[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoverStep:
    """One step from the accepted quote to the first job.

    Args:
        owner: role of whoever answers for it, as in the checklist's agreement.contacts.
        after: step that must be done before; "" for the first.
        working_days: None where it follows from something else.
    """

    step: str
    title: str
    owner: str
    after: str
    working_days: int | None
    source: str


def read_promise(row: Row) -> Promise:
    """A row of promises.csv; several values are split at spaces."""
    values = tuple(money(each) for each in row["values"].split())
    name, unit, text, source = (row[column] for column in ("name", "unit", "text", "source"))
    return Promise(name=name, values=values, unit=unit, text=text, source=source, as_of=day(row["as_of"]))


def read_handover_step(row: Row) -> HandoverStep:
    known = {column: row[column] for column in ("step", "title", "owner", "after", "source")}
    return HandoverStep(**known, working_days=read_count(row["working_days"]))


FILE: Final = Path(__file__).parent / "promises.csv"


@cache
def promises() -> Mapping[str, Promise]:
    """By name.

    Raises:
        CatalogError: a row that cannot be read.
    """
    return {each.name: each for each in parsing.read_rows(FILE, read_promise)}
