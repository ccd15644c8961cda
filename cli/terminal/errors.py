"""Faults in words: where, what, the line with a caret under it, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import typer

from catalogs.model import CatalogError
from planning.values.errors import AtollError, InputError
from planning.values.extras import find_missing_extra
from planning.values.printable import printable, printable_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.values.errors import Fault

FAILED: Final = 1
USAGE: Final = 2
HELP: Final = "Usage:"
WIDEST_SOURCE: Final = 100
BEFORE_CARET: Final = 60
_RED: Final = "\x1b[1;31m"
_BOLD: Final = "\x1b[1m"
_CYAN: Final = "\x1b[36m"
_PLAIN: Final = "\x1b[0m"


def render_error(fault: BaseException, *, colour: bool = False) -> tuple[str, int]:
    """The words for a fault and its exit code.

    Bad input, missing facts and a full disk are told as what they are; anything else is our own mistake and says so.
    """
    if isinstance(fault, AtollError):
        return _paint_lines(_atoll(fault), colour=colour), fault.exit_code
    if isinstance(fault, CatalogError):
        return _paint_lines(_catalog(fault), colour=colour), FAILED
    if isinstance(fault, typer.TyperException):
        return _paint_lines(_usage(fault), colour=colour), USAGE
    if isinstance(fault, OSError):
        return _paint_lines([_os(fault)], colour=colour), FAILED
    if missing := find_missing_extra(fault):
        return _paint_lines(_atoll(missing), colour=colour), FAILED
    return _paint_lines(_bug(fault), colour=colour), FAILED


def fault_lines(fault: Fault) -> Iterator[str]:
    """One fault: "path:line:column: message", the source line, the caret, the hint."""
    place = ":".join(str(part) for part in (fault.file, fault.line, fault.column) if part)
    where = f" (at {printable_line(fault.path)})" if fault.path and not fault.line else ""
    yield f"{printable_line(place)}: {printable(fault.message)}{where}"
    if fault.source_line and fault.line:
        yield from _excerpt(fault)
    if fault.hint:
        yield f"  hint: {printable(fault.hint)}"


def _excerpt(fault: Fault) -> Iterator[str]:
    """The source line, cut around the column where it is long, and a caret below the column."""
    number = str(fault.line)
    column = max(fault.column, 1)
    start = max(column - BEFORE_CARET, 0) if len(fault.source_line) > WIDEST_SOURCE else 0
    shown = fault.source_line[start : start + WIDEST_SOURCE].rstrip("\n")
    yield f"  {number} | {printable(shown).replace(chr(10), ' ').rstrip()}"
    if fault.column:
        yield f"  {' ' * len(number)} | {' ' * (column - 1 - start)}^"


def _atoll(fault: AtollError) -> list[str]:
    faults = fault.faults if isinstance(fault, InputError) else ()
    placed = [each for each in faults if each.line or each.message not in str(fault)]
    lines = [line for each in placed for line in fault_lines(each)]
    lines.append(f"error: {printable(str(fault))}")
    if fault.hint:
        lines.append(f"  hint: {printable(fault.hint)}")
    return lines


def _catalog(fault: CatalogError) -> list[str]:
    first, *others = printable(str(fault)).splitlines() or [""]
    return [f"error: {first}", *others]


def _usage(fault: typer.TyperException) -> list[str]:
    ask = getattr(fault, "ctx", None)
    command = getattr(ask, "command_path", "atoll")
    words = printable(str(getattr(fault, "format_message", lambda: str(fault))()))
    if words.startswith(HELP):
        return [words]  # nothing was asked for: the help is the answer
    return [f"error: {words}", f"  hint: {command} --help says how it is used"]


def _os(fault: OSError) -> str:
    what = f"{fault.filename}: " if fault.filename else ""
    return f"error: {printable_line(what)}{fault.strerror or type(fault).__name__}"


def _bug(fault: BaseException) -> list[str]:
    return [
        f"error: this is a bug in Atoll: {type(fault).__name__}: {printable(str(fault))}",
        "  hint: run again with ATOLL_DEBUG=1 for the traceback, and report it",
    ]


def _paint_lines(lines: list[str], *, colour: bool) -> str:
    return "\n".join(_paint(line) for line in lines) if colour else "\n".join(lines)


def _paint(line: str) -> str:
    if line.startswith("error: "):
        return f"{_RED}error:{_PLAIN} {_BOLD}{line.removeprefix('error: ')}{_PLAIN}"
    if line.startswith("  hint: "):
        return f"  {_CYAN}hint:{_PLAIN} {line.removeprefix('  hint: ')}"
    if line.endswith("| ") or line.rstrip().endswith("^"):
        return f"{_RED}{line}{_PLAIN}"
    return line
