"""The file of a price book as rows: what spreadsheets save is read, and every fault has its line and column."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from catalogs.files import UnreadableFileError, read_text
from catalogs.model import CatalogError

if TYPE_CHECKING:
    from _csv import Reader
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

REQUIRED: Final = ("provider", "item", "region", "purchase", "unit", "usd")
OPTIONAL: Final = ("above", "source", "as_of", "valid_until", "on_top")
# What `atoll rfq` writes for the people who fill it in; nothing is read from it.
READ_PAST: Final = ("what", "reason", "months", "min", "expected", "max")
KNOWN: Final = (*REQUIRED, *OPTIONAL, *READ_PAST)
MOST_BYTES: Final = 1_000_000  # 10,000 rows; every list of ours together has fewer
MOST_FAULTS: Final = 100  # reported at once; nobody reads more
LONGEST_SHOWN: Final = 60
AS_CSV: Final = "save the sheet as CSV in UTF-8"
_SEPARATORS: Final = ",;\t"  # the last two are what spreadsheets save where a comma is the decimal point, and as text
_SEPARATOR_LINE: Final = re.compile(r"sep=(.)")  # Excel's own first line
_HEADER: Final = f"the first line must name the columns: {','.join((*REQUIRED, 'above', 'source', 'as_of'))}"


@dataclass(frozen=True, slots=True, kw_only=True)
class BookFault:
    """One thing wrong with a book. `line` and `column` count from 1; 0 where the fault has no such place."""

    message: str
    line: int = 0
    column: int = 0
    source_line: str = ""
    hint: str = ""


class PriceBookError(CatalogError):
    """Every fault of one price book."""

    def __init__(self, path: Path, found: Iterable[BookFault]) -> None:
        ordered = sorted(found, key=lambda each: (each.line, each.column))[:MOST_FAULTS]
        told = (f"{path}:{each.line}: {each.message}" + (f"; {each.hint}" if each.hint else "") for each in ordered)
        super().__init__("\n".join(told), faults=tuple((each.line, each.message) for each in ordered))
        self.path = path
        self.places = tuple(ordered)


@dataclass(frozen=True, slots=True, kw_only=True)
class BookRecord:
    """One row as text.

    Args:
        line: last line of the row.
        cells: by column, without the spaces around them; "" for a column that the file has not.
    """

    line: int
    cells: Mapping[str, str]
    source_line: str
    separator: str
    columns: Sequence[str]

    def fault(self, message: str, *, column: str = "", hint: str = "") -> BookFault:
        return BookFault(
            message=message, line=self.line, column=self._place(column), source_line=self.source_line, hint=hint
        )

    def _place(self, column: str) -> int:
        """Where a cell begins; 0 where it is not in the line, or the row has several."""
        starts = _find_cells(self.source_line, self.separator)
        at = self.columns.index(column) if column in self.columns else len(starts)
        return starts[at] if at < len(starts) else 0


def _find_cells(line: str, separator: str) -> list[int]:
    """The columns at which the cells of a line begin, their spaces left out."""
    starts, is_quoted, begins = list[int](), False, True
    for at, character in enumerate((*line, separator), start=1):
        if begins and character != " ":
            starts.append(at)
            begins = False
        if character == '"':
            is_quoted = not is_quoted
        elif character == separator and not is_quoted:
            begins = True
    return starts


def read_records(path: Path, faults: list[BookFault]) -> Iterator[BookRecord]:
    """The rows of a book below its header; empty ones are left out.

    Raises:
        PriceBookError: the file cannot be read at all.
    """
    try:
        text = read_text(path, most_bytes=MOST_BYTES)
    except UnreadableFileError as error:
        message = f"cannot be read: {error.reason}"
        fault = BookFault(message=message, line=error.line, column=error.column, hint=error.hint and AS_CSV)
        raise PriceBookError(path, [fault]) from error
    # Several answers are put together as they are: marks of encoding and header lines may stand inside.
    lines = text.replace("\ufeff", "").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    named = _SEPARATOR_LINE.fullmatch(lines[0])
    skipped = 0 if named is None else 1
    separator = max(_SEPARATORS, key=lines[0].count) if named is None else named[1]
    reader = csv.reader((f"{line}\n" for line in lines[skipped:]), delimiter=separator, strict=True)
    header = next(_parse(reader, lines, skipped=skipped, faults=faults), (list[str](), 0, 0))
    columns = [cell.strip().casefold() for cell in header[0]]
    faults.extend(_judge_header(columns, line=skipped + 1, text=lines[skipped]))
    if not faults:
        yield from _read_rows(reader, lines, columns=columns, skipped=skipped, separator=separator, faults=faults)


def _parse(
    reader: Reader, lines: Sequence[str], *, skipped: int, faults: list[BookFault]
) -> Iterator[tuple[list[str], int, int]]:
    """Cells of each row, with its first and its last line."""
    last = reader.line_num
    try:
        for cells in reader:
            yield cells, last + 1 + skipped, reader.line_num + skipped
            last = reader.line_num
    except csv.Error as error:
        line = last + 1 + skipped
        faults.append(BookFault(message=f"not CSV: {error}", line=line, source_line=lines[line - 1]))


def _read_rows(
    reader: Reader,
    lines: Sequence[str],
    *,
    columns: Sequence[str],
    skipped: int,
    separator: str,
    faults: list[BookFault],
) -> Iterator[BookRecord]:
    count = 0
    for cells, first, last in _parse(reader, lines, skipped=skipped, faults=faults):
        filled = [cell.strip() for cell in cells]
        if not any(filled) or [cell.casefold() for cell in filled] == columns:
            continue
        count += 1
        record = BookRecord(
            line=last,
            cells={**dict.fromkeys(KNOWN, ""), **dict(zip(columns, filled, strict=False))},
            source_line=lines[last - 1] if first == last else "",
            separator=separator,
            columns=columns,
        )
        if any(filled[len(columns) :]) or any(column in REQUIRED for column in columns[len(filled) :]):
            hint = "put quotes around a cell that holds the separator" if len(filled) > len(columns) else ""
            faults.append(record.fault(f"{len(filled)} columns; the first line names {len(columns)}", hint=hint))
        elif any(cell for column, cell in zip(columns, filled, strict=False) if not column):
            faults.append(record.fault("a cell below no column name", hint=f"name it: {', '.join(KNOWN)}"))
        else:
            yield record
        if len(faults) >= MOST_FAULTS:
            return
    if not count and not faults:
        faults.append(BookFault(message="no row below the header: the book changes nothing", line=skipped + 1))


def _judge_header(columns: Sequence[str], *, line: int, text: str) -> Iterator[BookFault]:
    if not any(columns):
        yield BookFault(message=f"the file is empty: {_HEADER}", line=line)
        return
    known = [column for column in columns if column in KNOWN]
    if len(known) < len(REQUIRED) // 2:
        yield BookFault(message=_HEADER, line=line, source_line=text)
        return
    missing = [column for column in REQUIRED if column not in columns]
    if missing:
        yield BookFault(message=f"missing: {', '.join(missing)}", line=line, source_line=text, hint=_HEADER)
    for column in dict.fromkeys(columns):
        if column and column not in KNOWN:
            near = get_close_matches(column, KNOWN, n=1)
            hint = f'did you mean "{near[0]}"?' if near else f"there are {', '.join(KNOWN)}"
            hint = "every price is in USD" if column == "currency" else hint
            yield BookFault(
                message=f"there is no column {column[:LONGEST_SHOWN]!r}", line=line, source_line=text, hint=hint
            )
        elif columns.count(column) > 1 and column:
            yield BookFault(message=f"the column {column!r} stands twice", line=line, source_line=text)
