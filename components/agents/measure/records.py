"""Measurement records, written to the log of the pod and to its termination message; arguments of the programs."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from planning.agents.measurement_records import MeasurementRecord


MEASURED: Final = 0
COULD_NOT: Final = 3


def parser(about: str) -> argparse.ArgumentParser:
    """Parser of a command line, with the placement."""
    found = argparse.ArgumentParser(description=about, allow_abbrev=False)
    found.add_argument("--placement", required=True, help="name of the placement in the lock")
    return found


def words(text: str) -> tuple[str, ...]:
    """Words between commas."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def one_of(known: Sequence[str]) -> Callable[[str], tuple[str, ...]]:
    """Reader of words between commas, all of them known."""

    def read(text: str) -> tuple[str, ...]:
        found = words(text)
        strange = [word for word in found if word not in known]
        if strange or not found:
            raise argparse.ArgumentTypeError(f"{', '.join(strange) or 'nothing'}: there are {', '.join(known)}")
        return found

    return read


def shapes(text: str) -> tuple[tuple[int, int, int], ...]:
    """Matrices "MxNxK" between commas."""
    found: list[tuple[int, int, int]] = []
    for word in words(text):
        sizes = [int(size) for size in word.split("x") if size.isascii() and size.isdecimal() and int(size)]
        if len(sizes) != 3 or word.count("x") != 2:  # noqa: PLR2004 - M, N and K
            raise argparse.ArgumentTypeError(f"{word!r} is no shape: write MxNxK")
        found.append((sizes[0], sizes[1], sizes[2]))
    if not found:
        raise argparse.ArgumentTypeError("no shape is given")
    return tuple(found)


def positive(text: str) -> int:
    """A whole number above zero."""
    if not (text.isascii() and text.isdecimal() and int(text)):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number above zero")
    return int(text)


def above_zero(text: str) -> float:
    """A number above zero: seconds, hours."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number above zero")
    return value


NOTE: Final = "/dev/termination-log"
NOTE_BYTES: Final = 4096  # what Kubernetes keeps of it
LONGEST: Final = 400  # characters of a tool's complaint
MOST_WORDS: Final = 20

Figure = tuple[str, str, str]  # name, value, unit


def build_record(  # what a record is made of, each by name
    check: str,
    subject: str,
    *,
    tool: str,
    readings: Iterable[Figure] = (),
    params: Mapping[str, str] | None = None,
    failed: Sequence[str] = (),
) -> MeasurementRecord:
    """One record, of now."""
    return {
        "check": check,
        "subject": subject,
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "tool": tool,
        "readings": [{"name": name, "value": value, "unit": unit} for name, value, unit in readings],
        "failed": [word[:LONGEST] for word in failed[:MOST_WORDS]],
        "params": dict(params or {}),
    }


def write(records: Sequence[MeasurementRecord]) -> None:
    """One line for each record; the termination message gets as many whole lines as it holds."""
    lines = [json.dumps(record, sort_keys=True) for record in records]
    for line in lines:
        sys.stdout.write(line + "\n")
    sys.stdout.flush()
    note = os.environ.get("TERMINATION_NOTE", NOTE)
    kept, room = "", NOTE_BYTES
    for line in lines:
        # Kubernetes keeps 4096 bytes of it: whole lines only, for a line that is cut is no record.
        if len(line) + 1 > room:
            break
        kept += line + "\n"
        room -= len(line) + 1
    with suppress(OSError):  # not in a pod, or the file is not ours: the log has it all
        if Path(note).exists():
            Path(note).write_text(kept, encoding="utf-8")


def report_results(records: Sequence[MeasurementRecord], faults: Iterable[str] = ()) -> int:
    """Write the records and the faults; the exit status of the program."""
    write(records)
    status = MEASURED
    for fault in faults:
        complain(f"could not measure {fault}")
        status = COULD_NOT
    return status


def complain(words: str) -> None:
    sys.stderr.write(words + "\n")
