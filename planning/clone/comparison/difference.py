"""One thing that differs between a source and its clone, and how values are said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from pydantic.dataclasses import dataclass

from planning.costs.json_shapes import publish_as
from planning.values.json_format import decimal_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from decimal import Decimal

Side = TypeVar("Side")
NONE: Final = "none"
NOT_KNOWN: Final = "not known"
LOCKS: Final = "the two locks"


@dataclass(frozen=True, slots=True, kw_only=True, config=publish_as("DifferenceForm"))
class Difference:
    """Something that one side has or does otherwise."""

    placement: str
    topic: str  # "provider", "cluster", "network", "pool train", "storage warm", "platform"
    what: str
    old: str  # "none" where there is none
    new: str
    source: str  # the locks, or a catalog file and the source that it names
    note: str  # what follows from it; "" where nothing has to be said


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedFact:
    """One fact on both sides, before anybody knows whether it differs."""

    what: str
    old: str
    new: str
    source: str = LOCKS
    note: str = ""


def compare_by(
    old: Side,
    new: Side,
    readers: Mapping[str, Callable[[Side], str]],
    *,
    source: str = LOCKS,
    notes: Mapping[str, str] | None = None,
) -> Iterator[ComparedFact]:
    """One fact for each reader, which says it of one side."""
    for what, read in readers.items():
        yield ComparedFact(what=what, old=read(old), new=read(new), source=source, note=(notes or {}).get(what, ""))


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
