"""Prices from a file: what CoreWeave, Crusoe and whoever else has no price list for programs are kept fresh with.

The columns are those of prices.csv. Each row is dated by whoever read it, and names a source of sources.csv.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from datetime import date
from io import StringIO
from typing import TYPE_CHECKING, Final

from catalogs import parsing
from catalogs.catalog import SERVICES
from catalogs.files import UnreadableFileError, read_content
from catalogs.parsing import COLUMNS
from operations.price_refresh.model import FoundPrice, PriceSection, SectionKind
from planning.values.errors import Fault, InputError

if TYPE_CHECKING:
    from _csv import Reader
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from catalogs.catalog import Catalog
    from catalogs.model import Source

MOST_BYTES: Final = 10 << 20
MOST_DIGITS: Final = 15  # before or behind the point of a price or a quantity
RANK: Final = 3
HINTS: Final = {
    "provider": "a name of catalogs/providers.csv",
    "usd": "a price in USD for one unit, as 2.49",
    "above": "the quantity from which the price holds; 0 for a flat price",
    "source": "an id of catalogs/sources.csv; add where you read it there first",
    "as_of": "the day on which it was read, as 2026-11-23",
    "": f"a row has the columns {','.join(COLUMNS)}",
}


def read_price_file(path: Path, *, catalog: Catalog) -> list[PriceSection]:
    """The sections of a file.

    Raises:
        InputError: it cannot be read, or every fault of it with its line.
    """
    try:
        text = read_content(path, most_bytes=MOST_BYTES).decode("utf-8-sig")
    except UnreadableFileError as error:
        raise InputError(f"{path}: {error.reason}", hint=error.hint) from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: it is no UTF-8 text", hint="save it as UTF-8 text") from error
    lines = text.splitlines()
    if not lines or tuple(lines[0].split(",")) != COLUMNS:
        fault = _fault(path, lines or [""], number=1, column="", message="the first line does not name the columns")
        raise InputError(f"{path} is no file of prices", faults=(fault,))
    rows: dict[tuple[str, str, SectionKind], list[FoundPrice]] = defaultdict(list)
    faults: list[Fault] = []
    reader = csv.reader(StringIO(text))
    next(reader)
    for cells in _cells(reader, path):
        row: dict[str, str] = dict(zip(COLUMNS, cells, strict=False))
        found = list(_row_faults(row, count=len(cells), catalog=catalog))
        faults += [_fault(path, lines, number=reader.line_num, column=name, message=text) for name, text in found]
        if not found:
            kind = SectionKind.SERVICES if row["item"] in SERVICES else SectionKind.MACHINES
            rows[row["provider"], row["region"], kind].append(_price(row, source=catalog.sources[row["source"]]))
    if faults:
        raise InputError(f"{path} is no file of prices", faults=tuple(faults))
    return [
        PriceSection(
            provider=provider,
            region=region,
            kind=kind,
            source=next(each.source for each in prices if each.source),
            prices=tuple(prices),
            whole=False,  # one row is a file too, and takes no other price away
        )
        for (provider, region, kind), prices in rows.items()
    ]


def _cells(reader: Reader, path: Path) -> Iterator[list[str]]:
    try:
        yield from filter(None, reader)
    except csv.Error as error:
        fault = Fault(message="no row of comma-separated cells", file=str(path), line=reader.line_num, hint=HINTS[""])
        raise InputError(f"{path} is no file of prices", faults=(fault,)) from error


def _price(row: Mapping[str, str], *, source: Source) -> FoundPrice:
    return FoundPrice(
        item=row["item"],
        purchase=row["purchase"],
        unit=row["unit"],
        amount=parsing.money(row["usd"]),
        above=parsing.money(row["above"] or "0"),
        as_of=date.fromisoformat(row["as_of"]),
        source=source,
    )


def _row_faults(row: Mapping[str, str], *, count: int, catalog: Catalog) -> Iterator[tuple[str, str]]:
    """Each cell that is none, with what is wrong; "" where the row as a whole is none."""
    if count != len(COLUMNS):
        yield "", f"{count} cells; a row has {len(COLUMNS)}"
        return
    for name, cell in row.items():
        if not cell.isprintable():
            yield name, "no control characters"
    if row["provider"] not in catalog.providers:
        yield "provider", f"unknown provider {row['provider']!r}"
    yield from _amount_faults(row)
    if row["source"] not in catalog.sources:
        yield "source", f"unknown source {row['source']!r}"
    try:
        date.fromisoformat(row["as_of"])
    except ValueError:
        yield "as_of", f"{row['as_of']!r} is no date"


def _amount_faults(row: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name in ("usd", "above"):
        try:
            value = parsing.money(row[name] or ("0" if name == "above" else ""))
        except ValueError as error:
            yield name, str(error)
        else:
            if abs(value.adjusted()) > MOST_DIGITS:
                yield name, f"{row[name][:MOST_DIGITS]!r} is no amount of money or data"


def _fault(path: Path, lines: list[str], *, number: int, column: str, message: str) -> Fault:
    line = lines[number - 1]
    before = line.split(",")[: COLUMNS.index(column)] if column else []
    return Fault(
        message=message,
        file=str(path),
        line=number,
        column=sum(len(cell) + 1 for cell in before) + 1,
        source_line=line,
        hint=HINTS.get(column, HINTS[""]),
    )
