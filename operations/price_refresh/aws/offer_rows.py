"""Rows of one offer of the AWS price list in one region: five lines of preamble, a header, and one price a line."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from operations.price_refresh.model import PriceReadError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import date

PREAMBLE: Final = ("FormatVersion", "Disclaimer", "Publication Date", "Version", "OfferCode")
FORMAT: Final = "v1.0"
BEFORE_TERM: Final = 160  # characters of a line before which its term stands: three codes of 60 characters together
ON_DEMAND: Final = "OnDemand"
COLUMNS: Final = (
    "TermType",
    "StartingRange",
    "Unit",
    "PricePerUnit",
    "Currency",
    "usageType",
    "operation",
)


@dataclass(frozen=True, slots=True)
class OfferFile:
    """One offer in one region.

    Args:
        published: day on which AWS published it.
        rows: its prices on demand of which a word was asked for.
    """

    published: date
    rows: Iterator[Mapping[str, str]]


def read_offer(lines: Iterator[str], *, offer: str, words: Iterable[str], columns: Sequence[str]) -> OfferFile:
    """An offer as it comes: the preamble at once, the rows when they are asked for, all others unparsed.

    Args:
        words: only lines with one of them are parsed; a file of one region has 300 MB.
        columns: that this offer must have, beside those of every offer.

    Raises:
        PriceReadError: it is no offer of that name, or a column of the contract is missing.
    """
    told = dict(_preamble(lines, offer))
    if told["FormatVersion"] != FORMAT or told["OfferCode"] != offer:
        raise PriceReadError(f"it is {told['OfferCode']} in form {told['FormatVersion']}, not {offer} in form {FORMAT}")
    try:
        published = datetime.fromisoformat(told["Publication Date"]).date()
    except ValueError as error:
        raise PriceReadError(f"{offer} was published on {told['Publication Date']!r}, which is no date") from error
    header = next(csv.reader(lines), list[str]())
    missing = sorted({*COLUMNS, *columns} - set(header))
    if missing:
        raise PriceReadError(f"{offer} has no column {', '.join(missing)}: the price list has changed its form")
    return OfferFile(published, _parse(lines, header=header, offer=offer, words=tuple(words)))


def _preamble(lines: Iterator[str], offer: str) -> Iterator[tuple[str, str]]:
    for expected in PREAMBLE:
        cells = next(csv.reader(lines), list[str]())
        if len(cells) != len(("name", "value")) or cells[0] != expected:
            begin = ",".join(cells)[:40]
            raise PriceReadError(f"{offer} has {begin!r} where its {expected} should stand: it is no price list")
        yield expected, cells[1]


def _parse(
    lines: Iterator[str], *, header: Sequence[str], offer: str, words: tuple[str, ...]
) -> Iterator[Mapping[str, str]]:
    for cells in csv.reader(_keep(lines, words)):
        if len(cells) != len(header):
            raise PriceReadError(f"{offer} has a row of {len(cells)} cells under {len(header)} columns")
        row = dict(zip(header, cells, strict=True))
        if row["TermType"] == ON_DEMAND:
            yield row


def _keep(lines: Iterator[str], words: tuple[str, ...]) -> Iterator[str]:
    """The lines on demand with one of the words, and the last line of all, which shows whether the file was cut off."""
    quoted = f'"{ON_DEMAND}"'
    last = ""
    for line in lines:
        if quoted in line[:BEFORE_TERM] and any(word in line for word in words):
            yield line
            last = ""
        elif line:
            last = line
    if last:
        yield last
