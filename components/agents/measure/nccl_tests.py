"""What `all_reduce_perf` prints, of nccl-tests and of rccl-tests, by itself or under mpirun.

The columns are those of its own header, so that older outputs (no `root`, `error` for `#wrong`) and newer ones
(per-iteration columns, timestamps) are read alike. Format: github.com/NVIDIA/nccl-tests, src/util.cu at a0b82b22.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from components.agents.measure.child_process import (
    CannotMeasureError,
    FoundWrongError,
    abbreviate_output,
    number,
    strip_colours,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from decimal import Decimal

LAUNCHED: Final = re.compile(r"^\s*\[\d+,\d+\]<std(?:out|err)>:\s?")  # mpirun --tag-output
RANK: Final = re.compile(r"#\s+Rank\s+(\d+)\s.*?Pid\s+\d+\s+on\s+(\S+)\s+device\s+(\d+)", re.ASCII)
BOUNDS: Final = re.compile(r"#\s*Out of bounds values\s*:\s*(\d{1,18})\s+(OK|FAILED)", re.ASCII)
AVERAGE: Final = re.compile(r"#\s*Avg bus bandwidth\s*:\s*(\S+)")
VERSION: Final = re.compile(r"#\s*nccl-tests version (\S+)")
BROKEN: Final = re.compile(
    r"Test (?:NCCL|CUDA|HIP|RCCL) failure|Test timeout|unhandled (?:system|cuda) error|Test failure|"
    r"Invalid number of GPUs"
)
LAST_WORDS: Final = re.compile(r"Test failure \S+:\d+\s*$")  # what every failure ends with, whatever it was
DATA: Final = re.compile(r"\s*\d+\s+\d+\s+[a-z0-9_]+\s+[a-z]+\s", re.ASCII)


@dataclass(frozen=True)
class NcclPayloadResult:
    """One payload: the slower of in place and out of place, GB/s; `wrong` is None where it was not checked."""

    payload_bytes: int
    bus: Decimal
    algorithm: Decimal
    wrong: int | None


@dataclass(frozen=True)
class NcclTestsResult:
    """One run that went to its end.

    Args:
        ranks: accelerators that took part; `hosts` the names of their nodes, in order.
        wrong: values out of bounds.
    """

    version: str
    ranks: int
    hosts: tuple[str, ...]
    rows: tuple[NcclPayloadResult, ...]
    wrong: int


def parse(output: str, *, beside: str = "") -> NcclTestsResult:
    """The figures of one run.

    Args:
        beside: what it said on its other output, where many of its complaints are. A run that ended well is believed,
            whatever stands there.

    Raises:
        FoundWrongError: NCCL gave up, in its words.
        CannotMeasureError: no output of these tests, or one that was cut short.
    """
    lines = _lines(output)
    bounds = [found for line in lines if (found := BOUNDS.search(line))]
    averages = [line for line in lines if AVERAGE.search(line)]
    ended = len(bounds) == 1 and len(averages) == 1
    broken = [line.strip() for line in (lines if ended else [*lines, *_lines(beside)]) if BROKEN.search(line)]
    if broken:
        telling = next((line for line in broken if not LAST_WORDS.search(line)), broken[0])
        raise FoundWrongError(f"all-reduce: {abbreviate_output(telling)}")
    columns = _columns(lines)
    if not ended:
        raise CannotMeasureError(f"{_times(len(bounds))} of nccl-tests, which begins with: {abbreviate_output(output)}")
    rows = tuple(_row(line, columns) for line in lines if DATA.match(line))
    if not rows:
        raise CannotMeasureError("nccl-tests printed no row of figures")
    ranks = [found for line in lines if (found := RANK.search(line))]
    version = next((found.group(1) for line in lines if (found := VERSION.search(line))), "")
    return NcclTestsResult(
        version=f"nccl-tests {version}".strip(),
        ranks=len(ranks),
        hosts=tuple(dict.fromkeys(found.group(2) for found in ranks)),
        rows=rows,
        wrong=int(bounds[0].group(1)),
    )


def _lines(output: str) -> list[str]:
    return [LAUNCHED.sub("", line) for line in strip_colours(output).splitlines()]


def _times(ends: int) -> str:
    return "an output cut short, or none at all," if ends < 1 else f"{ends} outputs in one"


def _columns(lines: Sequence[str]) -> list[str]:
    """Names of the columns, as the header has them."""
    found = [line.lstrip("# ").split() for line in lines if "busbw" in line and "algbw" in line]
    if not found:
        raise CannotMeasureError("no header of nccl-tests: the columns are not known")
    return [name for name in found[0] if name != "timestamp"]


def _row(line: str, columns: Sequence[str]) -> NcclPayloadResult:
    cells = line.split()
    if len(cells) < len(columns):
        raise CannotMeasureError(f"a row of nccl-tests is cut short: {abbreviate_output(line)}")
    of: dict[str, list[str]] = {}
    for name, cell in zip(columns, cells):  # noqa: B905 - a timestamp may follow
        of.setdefault(name, []).append(cell)
    bus, algorithm = (_least(of.get(name, []), line) for name in ("busbw", "algbw"))
    wrong = [number(cell) for cell in of.get("#wrong", of.get("error", []))]
    checked = [int(each) for each in wrong if each is not None]
    return NcclPayloadResult(
        payload_bytes=int(cells[0]),
        bus=bus,
        algorithm=algorithm,
        wrong=max(checked) if checked and "#wrong" in of else None,
    )


def _least(cells: Sequence[str], line: str) -> Decimal:
    found = [number(cell) for cell in cells]
    known = [each for each in found if each is not None]
    if not known or len(known) != len(found):
        raise CannotMeasureError(f"a row of nccl-tests holds no figure: {abbreviate_output(line)}")
    return min(known)
