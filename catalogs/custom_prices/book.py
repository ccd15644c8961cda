"""The customer's own price book: prices and discounts that override the list by key.

Same columns as every price file. `usd` is a price ("1.90") or a change of the list price ("-12%"). Item, region and
purchase may be "*"; the most specific row wins (item before purchase before region). `above` empty: every tier.
`source` is free text, such as the contract's number. `unit` may be empty where a row only changes a price; a change
keeps the age of the list price. A row that would change nothing is a fault, like every other.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass, replace
from decimal import Decimal
from io import StringIO
from typing import TYPE_CHECKING, final

from catalogs import parsing
from catalogs.custom_prices.cells import cell_faults, header_faults, parse_factor, quantity
from catalogs.files import UnreadableFileError, read_text
from catalogs.model import OWN_PREFIX, CatalogError, Method, Source
from catalogs.parsing import COLUMNS, EVERYWHERE, LIST, within

if TYPE_CHECKING:
    from _csv import Reader
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from datetime import date
    from pathlib import Path

    from catalogs.custom_prices.cells import CustomPriceVocabulary
    from catalogs.model import Price

Key = tuple[str, str, str, str, str]
Faults = list[tuple[int, str]]

FIRST_TIER = "0"
_ZERO = Decimal(0)
MOST_BYTES = 1_000_000  # 10,000 rows; every list of ours together has fewer
MOST_FAULTS = 100  # reported at once; nobody reads more


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnRow:
    """One row of the customer's book: `usd`, or `factor` on the list price; never both."""

    number: int  # line of the file
    key: Key
    unit: str
    usd: Decimal | None
    factor: Decimal | None
    as_of: date | None

    @property
    def exact(self) -> bool:
        """Whether the row is a price of one key, so that it can stand in for a list row or add one."""
        return self.usd is not None and EVERYWHERE not in self.key[1:4]

    @property
    def source(self) -> str:
        return f"{OWN_PREFIX}{self.number}"

    def line(self) -> str:
        as_of = self.as_of.isoformat() if self.as_of else "unknown"
        return ",".join((*self.key[:4], self.unit, str(self.usd), self.key[4] or FIRST_TIER, self.source, as_of))


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
        key = (price.provider, price.item, price.region, price.purchase, _plain(price.above))
        row = next((self._rows[each] for each in _covering(key) if each in self._rows), None)
        if row is None or price.source.startswith(OWN_PREFIX):
            return price
        if row.factor is None:
            return replace(price, usd=row.usd or _ZERO, source=row.source, as_of=row.as_of)
        return replace(price, usd=price.usd * row.factor, source=row.source, as_of=price.as_of)


def _covering(key: Key) -> Iterator[Key]:
    """Keys that cover a price, most specific first."""
    provider, its_item, its_region, its_purchase, its_above = key
    for item in (its_item, EVERYWHERE):
        for purchase in (its_purchase, EVERYWHERE):
            for region in (its_region, EVERYWHERE):
                for above in (its_above, ""):
                    yield (provider, item, region, purchase, above)


def read(path: Path, *, known: CustomPriceVocabulary, lines: Sequence[str]) -> tuple[list[OwnRow], list[Source]]:
    """The rows of an own price book, and a source for each; `lines` of the list are what they change.

    Raises:
        CatalogError: every fault of the file at once, each with its line; also in `faults`.
    """
    found: dict[Key, OwnRow] = {}
    sources: list[Source] = []
    faults: Faults = []
    known = known.remembered()
    for number, cells in _lines(path, faults):
        if len(faults) >= MOST_FAULTS:
            break
        told = cell_faults(cells, known)
        faults.extend((number, text) for text in told)
        if told:
            continue
        row = _row(cells, number=number)
        if earlier := _earlier(row, found):
            faults.append((number, f"key {','.join(row.key)} stands in line {earlier}; one key may have one row"))
        found[row.key] = row
        sources.append(_source(row, cells["source"]))
    if not faults:
        faults += [*_idle(found, lines), *_tier_faults(found, lines)]
    if faults:
        told_at_once = "\n".join(f"{path}:{number}: {text}" for number, text in sorted(faults)[:MOST_FAULTS])
        raise CatalogError(told_at_once, faults=tuple(sorted(faults)))
    return list(found.values()), sources


def with_exact(lines: Sequence[str], own_rows: Iterable[OwnRow]) -> list[str]:
    """The list's lines, with the customer's exact prices in their place, and those that stand nowhere yet; sorted."""
    every = list(own_rows)
    exact = [row for row in every if row.exact]
    replaced = {line for row in exact for line in _list_covered_lines(lines, row)}
    kept = [line for line in lines if line not in replaced]
    merged = sorted(kept + [row.line() for row in exact])
    return sorted([*merged, *(added.line() for row in every for added in _additions(row, merged))])


def _list_covered_lines(lines: Sequence[str], row: OwnRow) -> list[str]:
    found = within(lines, ",".join((*row.key[:4], "")))
    return [line for line in found if row.key[4] in ("", _plain(Decimal(line.split(",")[6])))]


def _additions(row: OwnRow, lines: Sequence[str]) -> Iterator[OwnRow]:
    """Rows for the places that a price of every region reaches, and where the list has no row of this purchase.

    A service has one row for every region, as in the list. A machine has one in each region where it is sold at all:
    a price says nothing of where else it may be had.
    """
    provider, item, region, purchase, above = row.key
    if row.usd is None or region != EVERYWHERE or EVERYWHERE in (item, purchase):
        return
    its = within(lines, f"{provider},{item},")
    present = {tuple(line.split(",", 4)[2:4]) for line in its}
    is_service = purchase == LIST
    places = [EVERYWHERE] if is_service else sorted({place for place, _ in present})
    for place in places:
        if (place, purchase) not in present:
            yield replace(row, key=(provider, item, place, purchase, above))


def _idle(found: Mapping[Key, OwnRow], lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Rows that would change nothing, or that change what is counted in another unit."""
    changing = {key: row for key, row in found.items() if not row.exact}
    units = _units_changed(changing, lines)
    for key, row in changing.items():
        per = units.get(key, set())
        if row.unit and per - {row.unit}:
            others = ", ".join(sorted(per - {row.unit}))
            yield (
                row.number,
                f"unit {row.unit!r}: the row also covers prices per {others}; leave it empty, or narrow the row",
            )
        if not per and not any(_additions(row, lines)):
            yield row.number, _no_effect(row)


def _tier_faults(found: Mapping[Key, OwnRow], lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Rows of a tier below which nothing is priced, or of a machine, which has no tiers."""
    merged = with_exact(lines, found.values())
    for row in found.values():
        above = row.key[4]
        places = (row.key,) if row.exact else tuple(each.key for each in _additions(row, lines))
        if row.exact and row.key[3] != LIST and above not in ("", FIRST_TIER):
            yield row.number, f"above {above}: a machine has one price for every hour; leave it empty"
            continue
        for place in places:
            tiers = (line.split(",")[6] for line in within(merged, ",".join((*place[:4], ""))))
            if not any(Decimal(each) == 0 for each in tiers):
                yield row.number, f"above {above}: no row prices what lies below; add one with above 0"
                break


def _no_effect(row: OwnRow) -> str:
    provider, item, region, purchase, above = row.key
    place = "" if region == EVERYWHERE else f" in {region}"
    tier = f" from {above} on" if above not in ("", FIRST_TIER) else ""
    what = "anything" if item == EVERYWHERE else item
    how = "" if purchase in (EVERYWHERE, LIST) else f" ({purchase})"
    return f"the row changes nothing: the list has no price of {what} at {provider}{place}{how}{tier}"


def _units_changed(changing: Mapping[Key, OwnRow], lines: Sequence[str]) -> Mapping[Key, AbstractSet[str]]:
    """The units of all list prices that each row covers; no key for a row that covers none."""
    units: dict[Key, set[str]] = {}
    for provider in sorted({key[0] for key in changing}):
        for line in within(lines, f"{provider},"):
            _, item, region, purchase, unit, _, above, _ = line.split(",", 7)
            for key in _covering((provider, item, region, purchase, _plain(Decimal(above)))):
                if key in changing:
                    units.setdefault(key, set()).add(unit)
    return units


def _earlier(row: OwnRow, found: Mapping[Key, OwnRow]) -> int:
    """The line of a row with the same key, 0 for none; a price of every tier is one of the first tier, too."""
    keys = [row.key]
    if row.usd is not None and row.key[4] in ("", FIRST_TIER):
        keys = [(*row.key[:4], above) for above in ("", FIRST_TIER)]
    return next((found[key].number for key in keys if key in found), 0)


def _lines(path: Path, faults: Faults) -> Iterator[tuple[int, dict[str, str]]]:
    try:
        text = read_text(path, most_bytes=MOST_BYTES)
    except UnreadableFileError as fault:
        place = f"{path}:{fault.line}" if fault.line else str(path)
        raise CatalogError(f"{place}: cannot be read: {fault.reason}", faults=((fault.line, fault.reason),)) from fault
    reader = csv.reader(StringIO(text), strict=True)
    try:
        first = next(reader, None)
        faults.extend((1, text) for text in header_faults(first))
        if faults:
            return
        yield from _records(reader, faults)
    except csv.Error as fault:
        faults.append((reader.line_num, f"not CSV: {fault}"))


def _records(reader: Reader, faults: Faults) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows that have every column, with the number of their last line."""
    count = 0
    for cells in filter(None, reader):
        count += 1
        if len(faults) >= MOST_FAULTS:
            return
        if len(cells) == len(COLUMNS):
            yield reader.line_num, dict(zip(COLUMNS, (cell.strip() for cell in cells), strict=True))
        else:
            faults.append((reader.line_num, f"{len(cells)} columns; a price row has {len(COLUMNS)}"))
    if not count:
        faults.append((1, "no row below the header: the book changes nothing"))


def _row(cells: Mapping[str, str], *, number: int) -> OwnRow:
    """The row of cells without a fault."""
    factor = parse_factor(cells["usd"])
    above = _plain(quantity(cells["above"])) if cells["above"] else ""
    return OwnRow(
        number=number,
        key=(cells["provider"], cells["item"], cells["region"], cells["purchase"], above),
        unit=cells["unit"],
        usd=parsing.money(cells["usd"]) if factor is None else None,
        factor=factor,
        as_of=parsing.day(cells["as_of"]),
    )


def _source(row: OwnRow, text: str) -> Source:
    """Where a row stands; the day of a change is said with it, as the price keeps the list's."""
    dated = f"{text}, {row.as_of.isoformat()}" if row.as_of and row.factor is not None else text
    return Source(id=row.source, text=dated, url="", as_of=None, method=Method.OWN)


def _plain(value: Decimal) -> str:
    """One spelling of each number: 0 for "0", "00" and "0.0"."""
    return format(value.normalize(), "f")
