"""Tables as CSV that a spreadsheet may open: no cell of ours becomes a formula there."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING, Final

from planning.values.printable import printable_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# What a spreadsheet calculates instead of showing it (owasp.org/www-community/attacks/CSV_Injection, 2026-11).
_FORMULA: Final = re.compile(r"[=+\-@\t\r]")
_NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?")
_SHOWN: Final = "'"  # before a cell: it is text


def guard_cell(text: str) -> str:
    """A cell in one line; one that a spreadsheet would calculate, and that is no number, is marked as text."""
    shown = printable_line(text)
    return f"{_SHOWN}{shown}" if _FORMULA.match(text) and not _NUMBER.fullmatch(shown) else shown


def csv_text(columns: Sequence[str], rows: Iterable[Mapping[str, str]]) -> str:
    """A table with its head; a cell that a row does not have is empty.

    Raises:
        ValueError: a row has a cell of no column.
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: guard_cell(cell) for name, cell in row.items()} for row in rows)
    return text.getvalue()
