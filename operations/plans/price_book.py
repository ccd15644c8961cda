"""The price book of a command, its stale prices, and custom prices that no line uses."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, cast, overload

from catalogs.catalog import CURRENT, load
from catalogs.custom_prices.rows import find_own_sources
from catalogs.custom_prices.sheet import PriceBookError
from planning.values.errors import Fault, InputError, format_fault_count

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import date

    from catalogs.catalog import Catalog
    from planning.costs.bill import Bill
    from planning.costs.resources.stack_cost import CostingBook

ROWS_SHOWN: Final = 12
UNUSED: Final = "nothing here buys it"


@overload
def price_book(name: str = CURRENT) -> Catalog: ...


@overload
def price_book(name: str = CURRENT, *, own: str, today: date) -> Catalog: ...


def price_book(name: str = CURRENT, *, own: str = "", today: date | None = None) -> Catalog:
    """A price book by name, with the customer's own prices from file `own` over it.

    Args:
        today: the day after which no own price may be dated.

    Raises:
        CatalogError: no such book, or a faulty row of it.
        InputError: faults in the customer's file, each with its place.
    """
    if not own:
        return load(name)
    try:
        return load(name, override=Path(own), today=today)
    except PriceBookError as error:
        raise _build_refusal(error) from error


def _build_refusal(error: PriceBookError) -> InputError:
    faults = [
        Fault(
            message=each.message,
            file=str(error.path),
            line=each.line,
            column=each.column,
            source_line=each.source_line,
            hint=each.hint,
        )
        for each in error.places
    ]
    if len(faults) == 1 and not faults[0].line:
        return InputError(f"{error.path}: {faults[0].message}", hint=faults[0].hint)
    return InputError(f"{error.path}: {format_fault_count(faults)}", faults=faults)


def describe_unused_rows(catalog: Catalog, bills: Iterable[Bill]) -> Iterator[str]:
    """Each row of the customer's own book that prices nothing in these bills, with the reason; none where all do."""
    if catalog.own is None:
        return
    lines = [line for bill in bills for line in bill.lines]
    used = {source for line in lines for source in find_own_sources(f"{line.source} {line.note}")}
    unused = (
        (number, f"{UNUSED}: {words}") for source, (number, words) in catalog.own.labels.items() if source not in used
    )
    found = sorted([*catalog.own.skipped, *unused])
    for number, words in found[:ROWS_SHOWN]:
        yield f"price book {catalog.own.name}, line {number}: {words}"
    if len(found) > ROWS_SHOWN:
        more = _spell_lines([number for number, _ in found[ROWS_SHOWN:]])
        yield f"price book {catalog.own.name}, lines {more}: not used either"


def _spell_lines(numbers: Iterable[int]) -> str:
    """Rising numbers, those that follow each other as one range: "14, 16 to 90"."""
    ranges: list[tuple[int, int]] = []
    for each in numbers:
        if ranges and ranges[-1][1] == each - 1:
            ranges[-1] = (ranges[-1][0], each)
        else:
            ranges.append((each, each))
    return ", ".join(str(first) if first == last else f"{first} to {last}" for first, last in ranges)


def as_book(catalog: Catalog) -> CostingBook:
    """The same catalog to a takeoff, whose protocol a type checker does not find behind cached properties."""
    return cast("CostingBook", cast("object", catalog))
