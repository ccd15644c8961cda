"""A tool, run with a limit of time and without a shell; when the time is over it and its children are ended."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from components.agents.measure.faults import CannotMeasureError, FoundWrongError
from components.agents.measure.numbers import uncoloured

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PLAIN: Final = {"LC_ALL": "C", "LANG": "C", "NO_COLOR": "1"}
MOST_CHARACTERS: Final = 16_000_000
SECONDS_TO_END: Final = 10


@dataclass(frozen=True)
class Ran:
    """What a tool left: exit status and both outputs, without colours."""

    status: int
    out: str
    err: str


def run(command: Sequence[str], *, seconds: float, env: Mapping[str, str] | None = None) -> Ran:
    """Run a command, in the C locale.

    Raises:
        CannotMeasureError: there is no such program, or it may not be run.
        FoundWrongError: it did not end in time.
    """
    try:
        tool = subprocess.Popen(  # noqa: S603 - a list of words, no shell
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **PLAIN, **(env or {})},
            start_new_session=True,
        )
    except (OSError, ValueError, IndexError) as error:
        raise CannotMeasureError(f"{command[0] if command else 'nothing'} cannot be run: {error}") from error
    try:
        out, err = tool.communicate(timeout=seconds)
    except subprocess.TimeoutExpired as error:
        _end(tool)
        raise FoundWrongError(f"{command[0]} did not end within {seconds:g} s") from error
    return Ran(status=tool.returncode, out=_text(out), err=_text(err))


def _end(tool: subprocess.Popen[bytes]) -> None:
    for how in (signal.SIGTERM, signal.SIGKILL):
        with suppress(OSError):
            os.killpg(tool.pid, how)
        with suppress(subprocess.TimeoutExpired):
            tool.communicate(timeout=SECONDS_TO_END)
            return


def _text(output: bytes) -> str:
    return uncoloured(output[:MOST_CHARACTERS].decode("utf-8", errors="replace"))
