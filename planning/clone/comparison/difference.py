"""One thing that differs between a source and its clone, and how values are said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from planning.values.json_format import decimal_text

if TYPE_CHECKING:
    from collections.abc import Iterable
    from decimal import Decimal

NONE: Final = "none"
NOT_KNOWN: Final = "not known"
LOCKS: Final = "the two locks"


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One thing that differs.

    Args:
        placement: of which cluster of the stack.
        topic: "provider", "cluster", "network", "pool train", "storage warm", "platform".
        old: as it is at the source; "none" where there is none.
        source: where the fact stands: the locks, or a catalog file and the source that it names.
        note: what follows from it; "" where nothing has to be said.
    """

    placement: str
    topic: str
    what: str
    old: str
    new: str
    source: str
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedFact:
    """One fact on both sides, before anybody knows whether it differs."""

    what: str
    old: str
    new: str
    source: str = LOCKS
    note: str = ""


def differing(facts: Iterable[ComparedFact], *, placement: str, topic: str) -> list[Difference]:
    return [
        Difference(
            placement=placement,
            topic=topic,
            what=each.what,
            old=each.old,
            new=each.new,
            source=each.source,
            note=each.note,
        )
        for each in facts
        if each.old != each.new
    ]


def format_truth(value: object) -> str:
    return "yes" if value else "no"


def amount(value: Decimal | int | None, unit: str) -> str:
    """A quantity with its unit; nothing is "none", and what no source says is not known."""
    if value is None:
        return NOT_KNOWN
    if not value:
        return NONE
    said = f"{value:,}" if isinstance(value, int) else decimal_text(value)
    return f"{said} {unit}".rstrip()


def words(value: str) -> str:
    return value.replace("_", " ") or NONE


def join_values(values: Iterable[str]) -> str:
    return ", ".join(values) or NONE
