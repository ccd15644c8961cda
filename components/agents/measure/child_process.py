"""Runs a tool with a time limit and without a shell; at the limit it and its children are killed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class FoundWrongError(Exception):
    """The tool ran and found a fault: a result, by which the check fails."""


class CannotMeasureError(Exception):
    """There is no result: the tool is not there, or what it wrote cannot be read. The message says which and why."""


COLOUR: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
NUMBER: Final = re.compile(r"[+-]?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})(?:[eE][+-]?\d{1,2})?", re.ASCII)
SHOWN: Final = 100  # characters of an output that a fault repeats


def number(text: str) -> Decimal | None:
    """A number with a point, as in the C locale; None for "N/A", "inf", "1,59" and anything else."""
    return Decimal(text) if NUMBER.fullmatch(text) else None


def text(value: Decimal | float, *, places: int = 3) -> str:
    """A decimal text without exponent: "794.512", "16"."""
    written = f"{value:.{places}f}"
    return written.rstrip("0").rstrip(".") if "." in written else written


def strip_colours(output: str) -> str:
    """An output without the colours of a terminal."""
    return COLOUR.sub("", output)


def abbreviate_output(output: str) -> str:
    """The beginning of an output in one line, for a message."""
    words = " ".join(output.split())
    return words[:SHOWN] + ("..." if len(words) > SHOWN else "") if words else "nothing"


PLAIN: Final = {"LC_ALL": "C", "LANG": "C", "NO_COLOR": "1"}
MOST_CHARACTERS: Final = 16_000_000
SECONDS_TO_END: Final = 10


@dataclass(frozen=True)
class Ran:
    """Exit status and both outputs of a tool, without colours."""

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
    return strip_colours(output[:MOST_CHARACTERS].decode("utf-8", errors="replace"))
