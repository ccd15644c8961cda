"""Files that no program should be handed: each is answered in words, soon, and without much memory."""

from __future__ import annotations

import gzip
import json
import os
import time
import tracemalloc
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from pathlib import Path

import pytest
from input_formats import BILL_HEAD, BILL_ROW, FORMATS

from catalogs.model import CatalogError
from cli.terminal.errors import render_error
from operations.usage import bill_files
from planning.values.errors import InputError
from planning.values.printable import printable

Write = Callable[[Path], object]
REFUSALS = (InputError, CatalogError)
MOST_SECONDS = 8.0  # of a processor, under a tracer; without, each takes less than one
MOST_BYTES = 200 * 10**6


def content(octets: bytes) -> Write:
    return lambda path: path.write_bytes(octets)


def text(words: str) -> Write:
    return content(words.encode())


@cache
def bomb() -> bytes:
    """200 MB in a few hundred kB."""
    return gzip.compress(bytes(200_000_000), compresslevel=1)


def sparse(size: int) -> Write:
    def write(path: Path) -> None:
        with path.open("wb") as file:
            file.truncate(size)

    return write


ALIASES = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{','.join([f'*{before}'] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
NASTY: dict[str, Write] = {
    "an alias bomb": text(ALIASES),
    "an alias to itself": text("a: &a [*a]\n"),
    "a merge key": text("a: &a {b: 1}\nc:\n  <<: *a\n"),
    "a set": text("!!set {a, b}\n"),
    "an object of Python": text("!!python/object/apply:os.system ['true']\n"),
    "a date as a key": text("2026-01-01: 1\n? [a, b]\n: 2\n"),
    "deep lists": text("[" * 100_000),
    "deep lists that end": text("[" * 5_000 + "]" * 5_000),
    "deep objects": text('{"a":' * 100_000),
    "deep blocks": text("\n".join(f"{' ' * depth}a:" for depth in range(900))),
    "an integer of 4,301 digits": text(json.dumps({"a": 1}).replace("1", "9" * 4301)),
    "a number beyond all others": text('{"a": 1e400}'),
    "no number": text('{"a": NaN, "b": Infinity}'),
    "a key twice": text('{"a": 1, "a": 2}'),
    "half a character, escaped": text('{"a": "\\ud800"}'),
    "half a character, in bytes": content(b'{"a": "\xed\xa0\x80"}'),
    "UTF-16": content('{"a": 1'.encode("utf-16")),
    "Latin-1": content("name: Köln\n".encode("latin-1")),
    "NUL": content(b"a\x00b"),
    "escapes": content(b"a: \x1b[31mred\x1b]8;;http://x\x07\n"),
    "a line of a megabyte": text("a" * 1_100_000),
    "a line that never ends": sparse(300_000_000),
    "a bomb of gzip": lambda path: path.write_bytes(bomb()),
    "a gzip that is cut off": content(gzip.compress(b"a,b\n1,2\n")[:-9]),
    "a gzip that is damaged": content(b"\x1f\x8bnone"),
    "Parquet": content(b"PAR1\x15\x04"),
    "a quote that never ends": text('a,b\n"' + "x\n" * 600_000),
    "a row that never ends": text("a,b\n" + '"\n",' * 400_000),
    "commas": text("," * 500_000),
    "nothing but line ends": text("\n" * 900_000),
}
BOMBS = frozenset({"an alias bomb", "deep objects", "a line that never ends", "a bomb of gzip"})


@pytest.mark.parametrize("nasty", NASTY)
@pytest.mark.parametrize("kind", FORMATS)
def test_what_no_reader_can_use_is_refused_in_words(kind: str, nasty: str, tmp_path: Path) -> None:
    path = tmp_path / FORMATS[kind].name
    NASTY[nasty](path)
    started = time.process_time()
    if nasty in BOMBS:
        tracemalloc.start()
    try:
        FORMATS[kind].read(path)
    except REFUSALS as error:
        assert_told(error, path)
    finally:
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert time.process_time() - started < MOST_SECONDS
    assert most < MOST_BYTES


def assert_told(error: BaseException, path: Path) -> None:
    words, code = render_error(error)
    assert code == 1
    assert path.name in words or "decision" in words
    assert "Traceback" not in words
    assert "bug in Atoll" not in words
    assert printable(words) == words
    assert len(words) < 50_000
    if isinstance(error, InputError):
        assert "\n" not in str(error)


@pytest.mark.parametrize("kind", FORMATS)
def test_what_is_no_file_is_refused_before_it_is_read(kind: str, tmp_path: Path) -> None:
    wrong = FORMATS[kind]
    pipe, folder, loop = (tmp_path / place / wrong.name for place in ("pipe", "folder", "loop"))
    for each in (pipe, folder, loop):
        each.parent.mkdir()
    os.mkfifo(pipe)
    folder.mkdir()
    loop.symlink_to(loop)
    reasons = {pipe: "named pipe", folder: "folder", loop: "symbolic links", Path("/dev/zero"): "device"}
    for path, reason in reasons.items():
        with pytest.raises(REFUSALS) as refused:
            wrong.read(path)
        assert reason in render_error(refused.value)[0]


@pytest.mark.parametrize("kind", FORMATS)
def test_no_file_and_an_empty_one_are_said(kind: str, tmp_path: Path) -> None:
    path = tmp_path / FORMATS[kind].name
    for write in (lambda: None, path.touch, lambda: path.write_bytes(b"\xef\xbb\xbf")):
        write()
        try:
            FORMATS[kind].read(path)
        except REFUSALS as error:
            assert_told(error, path)
        else:
            assert FORMATS[kind].optional


@pytest.mark.parametrize("kind", FORMATS)
def test_a_mark_of_utf_8_before_a_sound_file_changes_nothing(kind: str, tmp_path: Path) -> None:
    path = tmp_path / FORMATS[kind].name
    found: list[str] = []
    for start in ("", "\ufeff"):
        path.write_text(start + FORMATS[kind].sound, encoding="utf-8", newline="")
        try:
            FORMATS[kind].read(path)
            found.append("")
        except REFUSALS as error:
            found.append(str(error))
    assert found[0] == found[1]


def test_a_file_that_may_not_be_read_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "checklist.yaml"
    path.touch()

    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")  # as the system does for everybody but root

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(InputError, match="no permission to read it"):
        FORMATS["checklist"].read(path)


def test_a_fault_of_a_bill_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "bill.csv"
    path.write_bytes((BILL_HEAD + BILL_ROW).encode() + b"2026-10-02,\xff\n")
    with pytest.raises(InputError) as refused:
        list(bill_files.rows(path, tag=None))
    assert [(each.line, each.message) for each in refused.value.faults] == [(3, "not UTF-8 text")]
    path.write_text(BILL_HEAD + BILL_ROW + "1,2,3,4,5,6,7\n")
    with pytest.raises(InputError) as refused:
        list(bill_files.rows(path, tag=None))
    assert [(each.line, each.message) for each in refused.value.faults] == [
        (3, "7 cells; the first line names 6 columns")
    ]


def test_a_large_bill_is_read_row_by_row(tmp_path: Path) -> None:
    path = tmp_path / "bill.csv.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write(BILL_HEAD)
        file.writelines(f"2026-10-01,{number},GB,Usage,DataTransfer-Out-Bytes,{{}}\n" for number in range(10_000))
    tracemalloc.start()
    count = sum(1 for _ in bill_files.rows(path, tag=None))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 10_000
    assert most < 4 * 10**6


def test_an_amount_that_no_decimal_holds_is_said(tmp_path: Path) -> None:
    path = tmp_path / "bill_files.json"
    path.write_text(json.dumps({"data": [{"c": {"start": "2026-10-01T00:00:00Z", "networkInternetCost": 10**300}}]}))
    try:
        list(bill_files.opencost_rows(path, usd_per_gb=Decimal("1e-9")))
    except InputError as error:
        assert_told(error, path)
