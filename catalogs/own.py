"""The customer's own price book: prices and discounts that override the list by key.

Same columns as every price file. `usd` is a price ("1.90") or a change of the list price ("-12%"). Item, region and
purchase may be "*"; the most specific row wins (item before purchase before region). `above` empty: every tier.
`source` is free text, such as the contract's number. `unit` and `as_of` may be empty where a row only changes a price.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, final

from catalogs import rows
from catalogs.lookup import COLUMNS, EVERYWHERE, within
from catalogs.model import CatalogError, Method, Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from datetime import date
    from pathlib import Path

    from catalogs.model import Price

Key = tuple[str, str, str, str, str]

_ONE = Decimal(1)
_PERCENT = Decimal(100)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnRow:
    """One row of the customer's book: `usd`, or `factor` on the list price; never both."""

    key: Key
    unit: str
    usd: Decimal | None
    factor: Decimal | None
    source: str
    as_of: date | None

    @property
    def exact(self) -> bool:
        """Whether the row is a price of one key, so that it can stand in for a list row or add one."""
        return self.usd is not None and EVERYWHERE not in self.key[1:4]

    def line(self) -> str:
        """The row as a line of a price file."""
        as_of = self.as_of.isoformat() if self.as_of else "unknown"
        return ",".join((*self.key[:4], self.unit, str(self.usd), self.key[4] or "0", self.source, as_of))


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """The words a row may use."""

    providers: AbstractSet[str]
    purchases: AbstractSet[str]
    items: Callable[[str], AbstractSet[str]]  # by provider


@final
class OwnPrices:
    """The rows of one own price book, ready to be applied.

    Args:
        rows_by_key: every row that is not `exact`; exact rows have replaced list rows already.
    """

    def __init__(self, rows_by_key: Mapping[Key, OwnRow]) -> None:
        self._rows = rows_by_key

    def applied(self, price: Price) -> Price:
        """The price under the most specific row that covers it; the same price where none does."""
        row = next((self._rows[key] for key in _covering(price) if key in self._rows), None)
        if row is None or price.source.startswith(OWN_PREFIX):
            return price
        if row.usd is not None:
            return replace(price, usd=row.usd, source=row.source, as_of=row.as_of)
        return replace(price, usd=price.usd * (row.factor or _ONE), source=row.source, as_of=price.as_of)


OWN_PREFIX = "own-"


def _covering(price: Price) -> Iterator[Key]:
    """Keys that cover a price, most specific first."""
    for item in (price.item, EVERYWHERE):
        for purchase in (price.purchase, EVERYWHERE):
            for region in (price.region, EVERYWHERE):
                for above in (str(price.above), ""):
                    yield (price.provider, item, region, purchase, above)


def read(path: Path, *, known: Known) -> tuple[list[OwnRow], list[Source]]:
    """The rows of an own price book, and a source for each.

    Raises:
        CatalogError: every fault of the file at once, each with its line; also in `faults`.
    """
    found: dict[Key, OwnRow] = {}
    sources: list[Source] = []
    faults: list[tuple[int, str]] = []
    for number, cells in _lines(path, faults):
        source = Source(
            id=f"{OWN_PREFIX}{len(sources) + 1}", text=cells["source"], url="", as_of=None, method=Method.OWN
        )
        try:
            row = _row(cells, source=source.id)
        except ValueError as fault:
            faults.append((number, str(fault)))
            continue
        faults.extend((number, text) for text in _strangers(row, source=source, known=known))
        if row.key in found:
            faults.append((number, f"key {','.join(row.key)} stands in an earlier row; one key may have one row"))
        found[row.key] = row
        sources.append(source)
    if faults:
        told = "\n".join(f"{path}:{number}: {text}" for number, text in sorted(faults))
        raise CatalogError(told, faults=tuple(sorted(faults)))
    return list(found.values()), sources


def with_exact(lines: Sequence[str], own_rows: Iterable[OwnRow]) -> list[str]:
    """The list's lines, with the customer's exact prices in their place; sorted."""
    exact = [row for row in own_rows if row.exact]
    replaced = {line for row in exact for line in _covered(lines, row)}
    return sorted([line for line in lines if line not in replaced] + [row.line() for row in exact])


def _covered(lines: Sequence[str], row: OwnRow) -> list[str]:
    found = within(lines, ",".join((*row.key[:4], "")))
    return [line for line in found if row.key[4] in ("", line.split(",")[6])]


def _lines(path: Path, faults: list[tuple[int, str]]) -> Iterator[tuple[int, dict[str, str]]]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) and fault.strerror else "it is not UTF-8 text"
        raise CatalogError(f"{path}: cannot be read: {reason}", faults=((0, reason),)) from fault
    reader = csv.reader(text.splitlines())
    if next(reader, None) != list(COLUMNS):
        faults.append((1, f"the first line must be {','.join(COLUMNS)}"))
        return
    for cells in reader:
        if not cells:
            continue
        if len(cells) != len(COLUMNS):
            faults.append((reader.line_num, f"{len(cells)} columns; a price row has {len(COLUMNS)}"))
            continue
        yield reader.line_num, dict(zip(COLUMNS, (cell.strip() for cell in cells), strict=True))


def _row(cells: Mapping[str, str], *, source: str) -> OwnRow:
    usd, factor = _usd(cells["usd"])
    above = str(rows.money(cells["above"])) if cells["above"] else ""
    key = (cells["provider"], cells["item"], cells["region"], cells["purchase"], above)
    return OwnRow(key=key, unit=cells["unit"], usd=usd, factor=factor, source=source, as_of=rows.day(cells["as_of"]))


def _usd(text: str) -> tuple[Decimal | None, Decimal | None]:
    if not text:
        raise ValueError("usd is missing: give a price, or a change such as -12%")
    if not text.endswith("%"):
        return rows.money(text), None
    factor = _ONE + _signed(text.removesuffix("%")) / _PERCENT
    if factor < 0:
        raise ValueError(f"usd {text} takes off more than the whole price")
    return None, factor


def _signed(text: str) -> Decimal:
    sign = -1 if text.startswith("-") else 1
    return sign * rows.money(text.lstrip("+-"))


def _strangers(row: OwnRow, *, source: Source, known: Known) -> Iterator[str]:
    """What a row names that the catalog does not know, and what an exact price lacks."""
    provider, item, region, purchase, _ = row.key
    if provider not in known.providers:
        yield f"unknown provider {provider!r}: known are {', '.join(sorted(known.providers))}"
    elif item != EVERYWHERE and item not in known.items(provider):
        yield f"unknown item {item!r} of {provider}: neither a machine nor a service word"
    if purchase != EVERYWHERE and purchase not in known.purchases:
        yield f"unknown purchase {purchase!r}: known are {', '.join(sorted(known.purchases))}"
    if not region:
        yield "region is missing: name one, or * for every region"
    if not source.text:
        yield "source is missing: name the contract or letter that this price stands in"
    if row.exact and not row.unit:
        yield "unit is missing: a price of one key must say what it is per"
