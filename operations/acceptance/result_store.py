"""The files of an acceptance run: a folder for each run, records as JSON lines that are only appended."""

from __future__ import annotations

import fcntl
import json
import os
import re
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import TYPE_CHECKING, BinaryIO, Final, final

from pydantic import TypeAdapter, ValidationError

from operations.acceptance.records import MOST_BYTES as MOST_LINE
from operations.acceptance.records import MeasurementRecordError, parse, to_line
from operations.project.atomic_files import write_all
from planning.acceptance.records import parse_time
from planning.agents.measurement_records import SCHEMA_VERSION, MeasurementRecord, Results
from planning.inputs.files import read_object, read_text
from planning.values.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Sequence
    from pathlib import Path

FOLDER: Final = "acceptance"
RESULTS: Final = "results.jsonl"
META: Final = "meta.json"
RUN: Final = re.compile(r"[a-z0-9]([a-z0-9-]{0,18}[a-z0-9])?")  # it is part of names in the cluster, too
MOST_FAULTS: Final = 20
MOST_BYTES: Final = 64_000_000  # of one file of results
CUT_OFF: Final = 4 * MOST_LINE  # no line that was begun is longer, however its characters are written


@dataclass(frozen=True, slots=True, kw_only=True)
class Meta:
    """What a run is of.

    Args:
        lock_digest: of the lock that it was planned from.
        started: UTC, ISO 8601.
        ended: when everything that was planned had ended; "" until then.
        nodes: names of the nodes that were there.
        failed: what could not be run, in words, by the name of the job.
    """

    run: str
    stack: str
    option: str
    placement: str
    lock_digest: str
    started: str
    ended: str = ""
    nodes: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()


@final
class ResultStore:
    """One run's folder. Appended records are flushed to the disk, so that a kill loses none of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def results(self) -> Path:
        return self.folder / RESULTS

    def write_meta(self, meta: Meta) -> None:
        text = json.dumps(asdict(meta), indent=2, sort_keys=True, ensure_ascii=False) + "\n"
        write_all({self.folder / META: text})

    def read_meta(self) -> Meta:
        """What the run is of.

        Raises:
            InputError: it is not there, or says something else.
        """
        return read_meta(self.folder / META)

    def append(self, records: Iterable[MeasurementRecord]) -> None:
        """Add records; a last line that a kill cut off before goes first."""
        text = "".join(map(to_line, records))
        if not text:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        with self.results.open("ab+") as file:
            # A kill may have cut the last line off: the next record must not be glued to it.
            file.truncate(_whole_lines(file))
            file.write(text.encode())
            file.flush()
            # Hours of measuring stand behind a record: it must not be lost with the machine.
            os.fsync(file.fileno())

    def read_records(self) -> list[MeasurementRecord]:
        """Every record; a last line that a kill cut off is none.

        Raises:
            InputError: another line is no record.
        """
        return read_records(self.results, forgive_last=True) if self.results.exists() else []

    @contextmanager
    def lock(self) -> Generator[None]:
        """Lock the run against other processes. Raises: InputError: another process has locked it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / ".held").open("w", encoding="utf-8") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise InputError(f"{self.folder} is being written by another atoll accept-test") from error
            yield


def runs(folder: Path) -> tuple[str, ...]:
    """Names of the runs in a stack's folder, oldest first."""
    return tuple(sorted(path.parent.name for path in (folder / FOLDER).glob(f"*/{META}")))


def store_of(folder: Path, run: str) -> ResultStore:
    """The run of that name in a stack's folder.

    Raises:
        InputError: it cannot be a name.
    """
    if not RUN.fullmatch(run):
        raise InputError(f"{run!r} cannot name a run", hint="up to 20 lower case letters, digits and dashes")
    return ResultStore(folder / FOLDER / run)


def read_meta(path: Path) -> Meta:
    """What a run is of.

    Raises:
        InputError: it is not there, or says something else.
    """
    told = read_object(path)
    names = {each.name for each in fields(Meta)}
    try:
        found = TypeAdapter(Meta).validate_python(told)
    except ValidationError:
        found = None
    if found is None or told.keys() != names:
        raise InputError(f"{path} does not say what the run is of", hint=f"it has {', '.join(sorted(names))}")
    if parse_time(found.started) is None or (found.ended and parse_time(found.ended) is None):
        raise InputError(f"{path} does not say when the run was", hint="a time of ISO 8601 with its zone")
    return found


def read_records(path: Path, *, forgive_last: bool = False) -> list[MeasurementRecord]:
    """Every record of a file, in order.

    Args:
        forgive_last: a last line without an end, as a kill leaves it, is none.

    Raises:
        InputError: unreadable, or lines that are no records, each with its number.
    """
    lines = text_of(path).split("\n")
    if forgive_last and lines:
        lines = lines[:-1]
    found, faults = _parse_lines(lines, file=str(path))
    if faults:
        least = " or more" if len(faults) == MOST_FAULTS else ""
        lines_are = "1 line is no record" if len(faults) == 1 else f"{len(faults)} lines{least} are no records"
        raise InputError(f"{path}: {lines_are}", faults=faults)
    return found


def text_of(path: Path) -> str:
    """The text of a file of results.

    Raises:
        InputError: unreadable, or so long that it is none.
    """
    return read_text(path, most_bytes=MOST_BYTES, hint="are these the results of an acceptance?")


def merge_records(parts: Iterable[Sequence[MeasurementRecord]]) -> list[MeasurementRecord]:
    """Records of several runs as one: the same one once, in the order of their times."""
    unique = {to_line(each): each for part in parts for each in part}
    return sorted(unique.values(), key=lambda each: (each["at"], each["check"], each["subject"]))


def build_results(meta: Meta, measured: list[MeasurementRecord]) -> Results:
    """The results of a run."""
    # Clocks of nodes may be a little off ours: the time of a run holds all of theirs.
    times = [each["at"] for each in measured]
    started = [text for text in (meta.started, *times) if text]
    ended = [text for text in (meta.ended or meta.started, *times) if text]
    return {
        "schema_version": SCHEMA_VERSION,
        "stack": meta.stack,
        "option": meta.option,
        "started": min(started, key=datetime.fromisoformat, default=""),
        "ended": max(ended, key=datetime.fromisoformat, default=""),
        "measured": measured,
    }


def _parse_lines(lines: Sequence[str], *, file: str) -> tuple[list[MeasurementRecord], list[Fault]]:
    found: list[MeasurementRecord] = []
    faults: list[Fault] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            found.append(parse(line))
        except MeasurementRecordError as error:
            faults.append(Fault(message=str(error), file=file, line=number))
            if len(faults) == MOST_FAULTS:
                break
    return found, faults


def _whole_lines(file: BinaryIO) -> int:
    """Bytes up to the end of the last line that has one."""
    size = file.seek(0, os.SEEK_END)
    start = max(size - CUT_OFF, 0)
    file.seek(start)
    return start + file.read().rfind(b"\n") + 1
