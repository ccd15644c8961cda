"""Every way a request can be refused, and the exit code each leads to (design section 4.5).

AtollError
├── InputError            1   bad checklist, lock, book or file; carries every fault at once
├── NothingFitsError      1   no machine, region or purchase satisfies the checklist
├── OverCeilingError     10   the bill is over the ceiling
├── UndeterminedError      11   the verdict hangs on something unknown or unpriced
└── StalePricesError     12   the prices are older than the limit
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing wrong with a text. `line` and `column` count from 1; 0 where the fault has no place in the text."""

    message: str
    file: str
    line: int = 0
    column: int = 0
    source_line: str = ""
    hint: str = ""
    path: str = ""  # "workloads[0].model.parameters"


def format_fault_count(faults: Sequence[Fault]) -> str:
    """How many they are, in words."""
    return "1 fault" if len(faults) == 1 else f"{len(faults)} faults"


class AtollError(Exception):
    """A request that cannot be met, said in words for the person who asked."""

    exit_code: ClassVar[int] = 1
    hint: str

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class InputError(AtollError):
    """Bad input, with every fault found in it."""

    faults: tuple[Fault, ...]

    def __init__(self, message: str, *, faults: Sequence[Fault] = (), hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.faults = tuple(faults)


class NothingFitsError(AtollError):
    """Nothing on sale satisfies the checklist; the message says which line of it excludes the most."""


class OverCeilingError(AtollError):
    """The bill is over the ceiling."""

    exit_code: ClassVar[int] = 10


class UndeterminedError(AtollError):
    """The verdict depends on a value that is unknown or unpriced."""

    exit_code: ClassVar[int] = 11


class StalePricesError(AtollError):
    """The prices, or the quote's validity, are older than the limit."""

    exit_code: ClassVar[int] = 12


def in_one_line(error: AtollError) -> str:
    """The message, with the faults' own and the hint: for where nothing else renders them."""
    found = [str(error)]
    if isinstance(error, InputError):
        found += [_format_fault(fault) for fault in error.faults]
    return "; ".join(dict.fromkeys([*found, error.hint] if error.hint else found))


def _format_fault(fault: Fault) -> str:
    """A fault with its place, where it has one."""
    place = f"line {fault.line}" if fault.line else fault.path
    return f"{place}: {fault.message}" if place else fault.message
