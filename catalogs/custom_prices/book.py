"""The customer's own price book: prices and discounts that override the list by key.

`usd` is a price ("1.90") or a change of the list price ("-12%"); a row without it is not filled in yet, and is
reported. Item, region and purchase may be "*"; the most specific row wins (item before purchase before region), and
changes on top of others apply to what it leaves. `above` empty: every tier. `source` is free text, such as the
quotation's number. A change keeps the age of the list price. A row that would change nothing is a fault.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final, final

from catalogs import parsing
from catalogs.custom_prices.cells import ON_TOP, cell_faults, is_change, parse_factor, quantity
from catalogs.custom_prices.overlay import Overlay
from catalogs.custom_prices.rows import FIRST_TIER, ItemWords, OwnPrices, OwnRow, spell_amount
from catalogs.custom_prices.sheet import MOST_FAULTS, PriceBookError, read_records
from catalogs.custom_prices.units import convert_price
from catalogs.model import Method, Source
from catalogs.parsing import EVERYWHERE, unit_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import date
    from pathlib import Path

    from catalogs.custom_prices.cells import CustomPriceVocabulary
    from catalogs.custom_prices.rows import Key
    from catalogs.custom_prices.sheet import BookFault, BookRecord

_NAME: Final = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_NAME: Final = 60
NOT_FILLED: Final = "no price is filled in"


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnBook:
    """An own price book over a list.

    Args:
        name: of the file, without its ending.
        lines: sorted price rows of the list, the customer's own exact prices among them.
        prices: what the book changes beyond exact prices.
        sources: where each row stands.
        labels: of each row by the id of its source: its line, and what it prices.
        skipped: lines that price nothing yet or no more, with the reason.
        ends: last day of rows that have one, by the id of their source.
    """

    name: str
    lines: Sequence[str]
    prices: OwnPrices
    sources: tuple[Source, ...]
    labels: Mapping[str, tuple[int, str]]
    skipped: tuple[tuple[int, str], ...]
    ends: Mapping[str, date]


def read(path: Path, *, known: CustomPriceVocabulary, lines: Sequence[str]) -> OwnBook:
    """An own price book over the lines of a list.

    Raises:
        PriceBookError: every fault of the file at once, each with its place.
    """
    found = _BookRows(path, known.memoize())
    found.read()
    words = ItemWords(((row.key[0], row.key[1]) for row in found.rows), families=found.known.families)
    over = Overlay(found.rows, lines, words=words, reserved=found.known.reserved)
    if not found.faults:
        found.faults += [
            found.records[row.number].fault(message, column=column) for row, column, message in over.faults()
        ]
    if found.faults:
        raise PriceBookError(path, found.faults)
    return OwnBook(
        name=found.name,
        lines=over.lines,
        prices=OwnPrices([row for row in found.rows if not row.exact], words=words),
        sources=tuple(found.sources),
        labels={row.source: (row.number, _describe(row.key)) for row in found.rows},
        skipped=tuple(found.skipped),
        ends=found.ends,
    )


@final
class _BookRows:
    """The rows of a file, one by one, with what is wrong with them."""

    def __init__(self, path: Path, known: CustomPriceVocabulary) -> None:
        self.known = known
        self.name = _NAME.sub("-", path.stem)[:_LONGEST_NAME] or "book"
        self.faults: list[BookFault] = []
        self.rows: list[OwnRow] = []
        self.records: dict[int, BookRecord] = {}
        self.sources: list[Source] = []
        self.skipped: list[tuple[int, str]] = []
        self.ends: dict[str, date] = {}
        self._path = path
        self._lines: dict[tuple[Key, str], int] = {}  # of keys, with the source of what applies on top of others

    def read(self) -> None:
        for record in read_records(self._path, self.faults):
            if len(self.faults) >= MOST_FAULTS:
                return
            told = cell_faults(record.cells, self.known)
            self.faults += [record.fault(each.message, column=each.column, hint=each.hint) for each in told]
            if not told:
                self._take(record)

    def _take(self, record: BookRecord) -> None:
        cells = record.cells
        ends = parsing.day(cells["valid_until"]) if cells["usd"] else None
        if not cells["usd"]:
            self.skipped.append((record.line, f"{NOT_FILLED}: {_describe(_key(cells))}"))
        elif ends is not None and self.known.today is not None and ends < self.known.today:
            self.skipped.append((record.line, f"it ended on {ends}: {_describe(_key(cells))}"))
        else:
            self._add(record, ends)

    def _add(self, record: BookRecord, ends: date | None) -> None:
        row = _build_row(record, self.known, book=self.name)
        place = record.cells["source"] if row.on_top else ""
        for key in _same_keys(row):
            if earlier := self._lines.get((key, place)):
                said = f"key {','.join(row.key)} stands in line {earlier}; one key may have one row"
                self.faults.append(record.fault(said, column="provider"))
                return
        self._lines[row.key, place] = row.number
        self.rows.append(row)
        self.records[row.number] = record
        self.sources.append(_source(row, record.cells))
        if ends is not None:
            self.ends[row.source] = ends


def _same_keys(row: OwnRow) -> Iterator[Key]:
    """The keys under which a row may stand already: a price of every tier is one of the first tier, too."""
    if row.usd is not None and row.key[4] in ("", FIRST_TIER):
        yield from ((*row.key[:4], above) for above in ("", FIRST_TIER))
    else:
        yield row.key


def _key(cells: Mapping[str, str]) -> Key:
    above = spell_amount(quantity(cells["above"])) if cells["above"] and cells["usd"] else ""
    return (cells["provider"], cells["item"], cells["region"], cells["purchase"], above)


def _describe(key: Key) -> str:
    provider, item, region, purchase, _ = key
    place = "" if region == EVERYWHERE else f" in {region}"
    how = "" if purchase in (EVERYWHERE, parsing.LIST) else f", {purchase.replace('_', ' ')}"
    return f"{'every item' if item == EVERYWHERE else item} of {provider}{place}{how}"


def _build_row(record: BookRecord, known: CustomPriceVocabulary, *, book: str) -> OwnRow:
    """The row of cells without a fault."""
    cells = record.cells
    factor, item = parse_factor(cells["usd"]), cells["item"]
    usd = None
    if factor is None:
        count = known.accelerators(cells["provider"], item)
        usd = convert_price(Decimal(cells["usd"]), unit=cells["unit"], item=item, accelerators=count)
    return OwnRow(
        number=record.line,
        book=book,
        key=_key(cells),
        unit=cells["unit"] if factor is not None else unit_of(item),
        usd=usd,
        factor=factor,
        as_of=parsing.day(cells["as_of"]),
        change=cells["usd"] if factor is not None else "",
        on_top=cells["on_top"] == ON_TOP,
    )


def _source(row: OwnRow, cells: Mapping[str, str]) -> Source:
    """Where a row stands: its book and line, what the file says of it, and the price as it is written there."""
    said = [f"price book {row.book}, line {row.number}", cells["source"]]
    if row.usd is not None and cells["unit"] != row.unit:
        said.append(f"{cells['usd']} USD per {cells['unit']}")
    if is_change(cells) and row.as_of:
        said.append(row.as_of.isoformat())
    text = ", ".join(part for part in said if part)
    return Source(id=row.source, text=text, url="", as_of=row.as_of if row.usd is not None else None, method=Method.OWN)
