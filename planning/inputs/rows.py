"""Rows of a large file, read one by one: CSV or one JSON object a line, also gzipped, however large it unpacks."""

from __future__ import annotations

import csv
import gzip
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Final, NoReturn, cast, final

from catalogs.files import UnreadableFileError, open_file
from planning.inputs.files import as_object, build_refusal, parse_json
from planning.values.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

MOST_ROW_BYTES: Final = 2**20  # of one row; a row of a bill has about 2 KB
MOST_COLUMNS: Final = 2_000  # a bill with a column for each tag has some hundreds
MOST_ROWS: Final = 50_000_000
MOST_UNPACKED_BYTES: Final = 64 * 10**9
# DEFLATE packs at most 1,032 to 1 (zlib.net/zlib_tech.html, 2026-11); bills 10 to 40.
MOST_RATIO: Final = 200
FREE_BYTES: Final = 16 * 10**6  # unpacked before the ratio is looked at
LOOKED_AT: Final = 1_000  # lines between two looks
_GZIP: Final = b"\x1f\x8b"
_OTHERS: Final = (
    (b"PAR1", "a Parquet file"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x28\xb5\x2f\xfd", "packed with Zstandard"),
    (b"\xff\xfe", "UTF-16 text"),
    (b"\xfe\xff", "UTF-16 text"),
)
_HINT: Final = "export CSV or one JSON object a line, in UTF-8, as it is or gzipped"


@dataclass(frozen=True, slots=True)
class InputRow:
    """A row and the line that it ends in."""

    line: int
    cells: dict[str, str]


@contextmanager
def open_lines(path: Path) -> Generator[BoundedLines]:
    """The lines of a file, unpacked where it is gzipped.

    Raises:
        MissingFileError: there is none.
        InputError: it is no file, not readable, or of another kind.
    """
    try:
        stored = open_file(path)
    except UnreadableFileError as error:
        raise build_refusal(error, file=str(path)) from error
    with stored:
        start = stored.peek(4)[:4]
        for magic, kind in _OTHERS:
            if start.startswith(magic):
                raise InputError(f"{path}: {kind}, which is not read", hint=_HINT)
        if not start.startswith(_GZIP):
            yield BoundedLines(stored, stored=stored, file=str(path))
            return
        with gzip.GzipFile(fileobj=stored) as unpacked:
            yield BoundedLines(cast("BinaryIO", unpacked), stored=stored, file=str(path))


@final
class BoundedLines:
    """Lines of text, each with its number; what is over a limit is refused before it is in memory."""

    def __init__(self, source: BinaryIO, *, stored: BinaryIO, file: str) -> None:
        self.file = file
        self.number = 0
        self._source = source
        self._stored = stored
        self._row_bytes = 0
        self._unpacked = 0

    def __iter__(self) -> Iterator[str]:
        """Every line with its end.

        Raises:
            InputError: not UTF-8, a line or row over its limit, too many rows, or a packed file that unpacks to no end.
        """
        while line := self._read_line():
            self.number += 1
            self._row_bytes += len(line)
            self._unpacked += len(line)
            if self._row_bytes > MOST_ROW_BYTES:
                self.refuse(f"a row of more than {MOST_ROW_BYTES >> 20} MiB")
            if self.number % LOOKED_AT == 0:
                self._refuse_endless()
            yield self._decode(line)

    def begin_row(self) -> None:
        self._row_bytes = 0

    def refuse(self, reason: str, *, hint: str = "") -> NoReturn:
        fault = Fault(message=reason, file=self.file, line=self.number)
        raise InputError(f"{self.file}: cannot be read on", faults=(fault,), hint=hint)

    def _read_line(self) -> bytes:
        try:
            return self._source.readline(MOST_ROW_BYTES + 1)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            self.number += 1
            self.refuse(f"the packed file is damaged or cut off ({error})")
        except OSError as error:
            raise InputError(f"{self.file}: cannot be read ({error.strerror or error})") from error

    def _decode(self, line: bytes) -> str:
        try:
            return line.decode("utf-8-sig" if self.number == 1 else "utf-8")
        except UnicodeDecodeError:
            self.refuse("not UTF-8 text", hint="save it as UTF-8 text")

    def _refuse_endless(self) -> None:
        if self.number > MOST_ROWS:
            self.refuse(f"more than {MOST_ROWS:,} rows", hint="name files of one month each")
        if self._unpacked > MOST_UNPACKED_BYTES:
            self.refuse(f"over {MOST_UNPACKED_BYTES // 10**9} GB unpacked", hint="name files of one month each")
        if self._unpacked > FREE_BYTES and self._unpacked > MOST_RATIO * self._stored.tell():
            self.refuse(f"the packed file unpacks to more than {MOST_RATIO} times its size", hint="unpack it yourself")


def csv_rows(lines: BoundedLines) -> Iterator[InputRow]:
    """Rows under the names of the first line; cells that are missing at its end are "".

    Raises:
        InputError: as the lines, no names, a name twice, or more cells than names.
    """
    # The module's own limit of 128 KiB is less than some bills put into a cell of tags.
    csv.field_size_limit(MOST_ROW_BYTES)
    reader = csv.reader(iter(lines), strict=True)
    try:
        names = next((row for row in reader if row), None)
        lines.begin_row()
        if names is None:
            raise InputError(f"{lines.file}: empty", hint="the first line has the names of the columns")
        _refuse_names(names, lines)
        for row in reader:
            lines.begin_row()
            if not row:
                continue
            if len(row) > len(names):
                lines.refuse(f"{len(row)} cells; the first line names {len(names)} columns")
            missing = [""] * (len(names) - len(row))
            yield InputRow(lines.number, dict(zip(names, [*row, *missing], strict=True)))
    except csv.Error as error:
        lines.refuse(str(error))


def json_objects(lines: BoundedLines) -> Iterator[tuple[int, dict[str, object]]]:
    """One object a line, with the line's number.

    Raises:
        InputError: as the lines and `parse_json`, or a line is no object.
    """
    hint = "one object a line, as in NDJSON"
    for line in lines:
        lines.begin_row()
        if line.strip():
            try:
                found = parse_json(line, file=lines.file, first_line=lines.number, hint=hint)
                yield lines.number, as_object(found, file=f"{lines.file}: line {lines.number}", hint=hint)
            except InputError as error:
                reason = error.faults[0].message if error.faults else "no JSON object"
                message = f"{lines.file}: line {lines.number} is no JSON object ({reason})"
                raise InputError(message, hint=hint) from error


def _refuse_names(names: list[str], lines: BoundedLines) -> None:
    if len(names) > MOST_COLUMNS:
        lines.refuse(f"{len(names):,} columns; at most {MOST_COLUMNS:,} are read")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        lines.refuse(f"the column {twice[:60]!r} stands twice")
