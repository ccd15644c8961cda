"""A request as CSV: the columns of a price book, with what is asked beside them. Filled in, it is a price book."""

from __future__ import annotations

import csv
from io import StringIO
from typing import TYPE_CHECKING, Final

from planning.documents.csv_text import guard_cell
from planning.values.json_format import decimal_text
from planning.values.money import CENT, round_to

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
        writer.writerow([guard_cell(str(cell)) for cell in (*row, "", "", "", "", each.reason)])
    return file.getvalue()


def format_quantity(amount: Decimal) -> str:
    return decimal_text(round_to(amount, CENT))
