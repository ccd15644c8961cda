"""A request as CSV: the columns of a price book, with what is asked beside them. Filled in, it is a price book."""

from __future__ import annotations

import csv
from io import StringIO
from typing import TYPE_CHECKING, Final

from planning.values.json_format import decimal_text
from planning.values.money import CENT, round_to
from planning.values.printable import printable_line

if TYPE_CHECKING:
    from collections.abc import Iterable
    from decimal import Decimal

    from planning.agreements.quotation.request import RequestedItem

COLUMNS: Final = (
    "what",
    "provider",
    "item",
    "region",
    "purchase",
    "months",
    "min",
    "expected",
    "max",
    "unit",
    "usd",
    "source",
    "as_of",
    "valid_until",
    "reason",
)
FORMULA: Final = ("=", "+", "-", "@")  # with which a spreadsheet begins to calculate


def write_sheet(items: Iterable[RequestedItem]) -> str:
    """The rows to fill in: `usd`, `source`, `as_of` and `valid_until` are empty."""
    file = StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    for each in items:
        amounts = map(format_quantity, each.quantity.readings)
        uses = "; ".join(each.uses)
        what = f"{each.what}: {uses}" if each.what not in uses else uses
        row = (what, each.provider, each.item, each.region, each.purchase, each.months, *amounts, each.unit)
        writer.writerow([_as_text(str(cell)) for cell in (*row, "", "", "", "", each.reason)])
    return file.getvalue()


def format_quantity(amount: Decimal) -> str:
    return decimal_text(round_to(amount, CENT))


def _as_text(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula: names of workloads are free text."""
    plain = printable_line(cell)
    return f"'{plain}" if plain.startswith(FORMULA) else plain
