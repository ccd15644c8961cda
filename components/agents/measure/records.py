"""Records, written where the cluster keeps them: the log of the pod, and its termination message."""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from components.agents.measure.arguments import COULD_NOT, MEASURED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from planning.agents.measurement_records import Measured

NOTE: Final = "/dev/termination-log"
NOTE_BYTES: Final = 4096  # what Kubernetes keeps of it
LONGEST: Final = 400  # characters of a tool's complaint
MOST_WORDS: Final = 20

Figure = tuple[str, str, str]  # name, value, unit


def measured(  # what a record is made of, each by name
    check: str,
    subject: str,
    *,
    tool: str,
    readings: Iterable[Figure] = (),
    params: Mapping[str, str] | None = None,
    failed: Sequence[str] = (),
) -> Measured:
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


def write(records: Sequence[Measured]) -> None:
    """One line each; to the termination message whole lines only, as many as it holds."""
    lines = [json.dumps(record, sort_keys=True) for record in records]
    for line in lines:
        sys.stdout.write(line + "\n")
    sys.stdout.flush()
    note = os.environ.get("TERMINATION_NOTE", NOTE)
    kept, room = "", NOTE_BYTES
    for line in lines:
        if len(line) + 1 > room:
            break
        kept += line + "\n"
        room -= len(line) + 1
    with suppress(OSError):  # not in a pod, or the file is not ours: the log has it all
        if Path(note).exists():
            Path(note).write_text(kept, encoding="utf-8")


def ended(records: Sequence[Measured], faults: Iterable[str] = ()) -> int:
    """Write what was measured and say what could not be; the exit status of the program."""
    write(records)
    status = MEASURED
    for fault in faults:
        complain(f"could not measure {fault}")
        status = COULD_NOT
    return status


def complain(words: str) -> None:
    """One line for who reads the log."""
    sys.stderr.write(words + "\n")
