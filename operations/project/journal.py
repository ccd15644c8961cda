"""The journal of a relocation: lines are added and synced, each chained to the one before; history is never rewritten.

Beside it lies the head: number and hash of the last line. A journal that is shorter than its head was cut; a last line
without an end that the head does not know was being written when the process ended, and is dropped.
"""

from __future__ import annotations

import errno
import json
import os
import socket
import threading
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from typing import TYPE_CHECKING, Final, cast, final

from planning.values.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path


FIRST: Final = "0" * 64  # what the first line is chained to


class RecordKind(StrEnum):
    """What a line says."""

    OPENED = "opened"
    BEGUN = "begun"
    REMEMBERED = "remembered"
    DONE = "done"
    FAILED = "failed"
    UNDOING = "undoing"
    UNDONE = "undone"
    ROLLED_BACK = "rolled_back"
    COMMITTED = "committed"


class JournalRecordError(ValueError):
    """A line that is no record, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalRecord:
    """One line.

    Args:
        seq: counts from 1.
        previous: SHA-256 of the line before, without its end; `FIRST` for the first.
        step: whose it is; "" where it is of the whole relocation.
        content: what else is said: evidence, reason, key and value.
    """

    seq: int
    previous: str
    at: datetime
    host: str
    pid: int
    kind: RecordKind
    step: str = ""
    content: Mapping[str, object] = field(default_factory=dict[str, object])

    def line(self) -> bytes:
        """As it stands in the journal, without the end of the line."""
        form = {
            "seq": self.seq,
            "previous": self.previous,
            "at": self.at.isoformat(),
            "host": self.host,
            "pid": self.pid,
            "kind": self.kind.value,
            "step": self.step,
            "content": self.content,
        }
        return json.dumps(form, ensure_ascii=True, separators=(",", ":")).encode()


def digest(line: bytes) -> str:
    return sha256(line).hexdigest()


def parse(line: bytes) -> JournalRecord:
    """The record on a line.

    Raises:
        RecordError: it is none.
    """
    try:
        form = cast("dict[str, object]", json.loads(line))
        return JournalRecord(
            seq=_number(form["seq"]),
            previous=_text(form["previous"]),
            at=datetime.fromisoformat(_text(form["at"])),
            host=_text(form["host"]),
            pid=_number(form["pid"]),
            kind=RecordKind(_text(form["kind"])),
            step=_text(form["step"]),
            content=_fields(form["content"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise JournalRecordError("it is no record of a journal") from error


def _number(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise TypeError


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    raise TypeError


def _fields(value: object) -> dict[str, object]:
    if isinstance(value, dict):
        return cast("dict[str, object]", value)
    raise TypeError


NAME: Final = "journal.jsonl"
HEAD: Final = "journal.head"
SUFFIX: Final = ".jsonl"
HEAD_SUFFIX: Final = ".head"
MODE: Final = 0o600
RESTORE: Final = "put both {name} and {head} back from one backup; without one, a rollback cannot be proved"


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalContent:
    """What a journal's file holds.

    Args:
        length: bytes of whole lines; what stands behind them was never finished.
        last: hash of the last whole line.
    """

    records: tuple[JournalRecord, ...]
    length: int
    torn: bool
    last: str


def read_journal(path: Path) -> JournalContent:
    """The journal at a path; nothing where there is none. The file is left as it is.

    Raises:
        InputError: a line was edited, taken out or cut off, by number, with what to do.
    """
    head = _head(path)  # before the journal: one that is being written only grows
    content = path.read_bytes() if path.exists() else b""
    *whole, rest = content.split(b"\n")
    if head is None and len(whole) > 1 and head_of(path).exists():
        return read_journal(path)  # the first head was written between the two
    records, last = _read_chain(path, whole)
    _hold_against_head(path, head, lines=whole, torn=bool(rest))
    return JournalContent(records=tuple(records), length=len(content) - len(rest), torn=bool(rest), last=last)


def head_of(path: Path) -> Path:
    """Where the head of a journal lies: beside it, under its name."""
    return path.with_suffix(HEAD_SUFFIX)


def _read_chain(path: Path, lines: Sequence[bytes]) -> tuple[list[JournalRecord], str]:
    records: list[JournalRecord] = []
    last = FIRST
    for number, line in enumerate(lines, start=1):
        try:
            record = parse(line)
        except JournalRecordError as error:
            raise _build_corruption_error(path, number, str(error)) from error
        if record.seq != number:
            raise _build_corruption_error(path, number, f"record {number} is missing, {record.seq} stands in its place")
        if record.previous != last:
            raise _build_corruption_error(
                path, number - 1 or 1, "it is not what was written: the line after it was chained to another"
            )
        records.append(record)
        last = digest(line)
    return records, last


def _hold_against_head(path: Path, head: tuple[int, str] | None, *, lines: Sequence[bytes], torn: bool) -> None:
    """Find what was cut off at the end, which the chain alone does not show.

    Raises:
        InputError: the head knows more lines than there are, or another last line; or there is none.
    """
    if head is None:
        if len(lines) > 1:
            raise _headless(path, lines)
        return
    number, known = head
    if number > len(lines):
        cut = f", line {len(lines) + 1} in its middle" if torn else ""
        message = f"journal truncated: {number} lines were written, {len(lines)} are whole{cut}"
        raise _build_corruption_error(path, len(lines) + 1, message)
    if digest(lines[number - 1]) != known:
        raise _build_corruption_error(path, number, "it is not what was written")


def _headless(path: Path, lines: Sequence[bytes]) -> InputError:
    sealed = json.dumps({"seq": len(lines), "hash": digest(lines[-1])})
    return InputError(
        f"{head_of(path)} is missing: it is unknown whether {path.name} is complete",
        hint=f"put it back; where you know that line {len(lines)} is the last, it holds {sealed}",
    )


def _head(path: Path) -> tuple[int, str] | None:
    file = head_of(path)
    if not file.exists():
        return None
    try:
        form = cast("dict[str, object]", json.loads(file.read_bytes()))
        number, known = form["seq"], form["hash"]
    except (ValueError, KeyError, TypeError) as error:
        raise _build_corruption_error(file, 1, "it is no head of a journal") from error
    if not isinstance(number, int) or not isinstance(known, str) or number < 1:
        raise _build_corruption_error(file, 1, "it is no head of a journal")
    return number, known


def _build_corruption_error(path: Path, line: int, message: str) -> InputError:
    hint = RESTORE.format(name=path.with_suffix(SUFFIX).name, head=head_of(path).name)
    fault = Fault(message=message, file=str(path), line=line, hint=hint)
    return InputError(f"{path}: the journal cannot be trusted, nothing was done", faults=(fault,))


@final
class Journal:
    """A journal that is written. Only who holds the writer's lock may open one."""

    def __init__(self, path: Path, *, now: Callable[[], datetime]) -> None:
        """Open it, cutting off a line that was never finished.

        Raises:
            InputError: it is broken anywhere else.
        """
        found = read_journal(path)
        self.path = path
        self.torn = found.torn
        self._now = now
        self._lock = threading.Lock()
        self._host = socket.gethostname()
        self._records = list(found.records)
        self._last = found.last
        self._length = found.length
        fresh = not path.exists()
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, MODE)
        if found.torn:
            os.ftruncate(self._file, found.length)
            os.fsync(self._file)
        if fresh:
            sync(path.parent)
        elif found.records:
            self._write_head()

    @property
    def records(self) -> Sequence[JournalRecord]:
        """Every record so far."""
        return self._records

    def append(self, kind: RecordKind, *, step: str = "", content: Mapping[str, object] | None = None) -> JournalRecord:
        """Write a record down; on disk when this returns.

        Raises:
            OSError: it cannot be written, and then nothing of it is there.
        """
        with self._lock:
            # Another process may have appended: the chain goes on from its last line.
            self._catch_up()
            record = JournalRecord(
                seq=len(self._records) + 1,
                previous=self._last,
                at=self._now(),
                host=self._host,
                pid=os.getpid(),
                kind=kind,
                step=step,
                content=content or {},
            )
            line = record.line()
            self._write(line + b"\n")
            self._take(parse(line), line)
            self._write_head()
            return self._records[-1]

    def close(self) -> None:
        os.close(self._file)

    def _catch_up(self) -> None:
        """Read again what a signal kept from being counted, between the write of a line and its counting."""
        if os.fstat(self._file).st_size == self._length:
            return
        found = read_journal(self.path)
        os.ftruncate(self._file, found.length)
        self._records, self._last, self._length = list(found.records), found.last, found.length

    def _write(self, line: bytes) -> None:
        written = 0
        try:
            written = os.write(self._file, line)
        finally:
            if written not in {0, len(line)}:
                os.ftruncate(self._file, self._length)
        if written != len(line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path))
        os.fsync(self._file)

    def _take(self, record: JournalRecord, line: bytes) -> None:
        self._records.append(record)
        self._last = digest(line)
        self._length += len(line) + 1

    def _write_head(self) -> None:
        head = head_of(self.path)
        beside = head.with_name(f".{head.name}.new")
        file = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, MODE)
        try:
            os.write(file, json.dumps({"seq": len(self._records), "hash": self._last}).encode())
            os.fsync(file)
        finally:
            os.close(file)
        beside.replace(head)
        sync(head.parent)


def sync(folder: Path) -> None:
    """Make what was created or renamed in a folder last."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
