"""The fabric: all-reduce over some nodes of a pool, by whatever starts nccl-tests on them, and what these print.

The columns are those of its own header, so that older outputs (no `root`, `error` for `#wrong`) and newer ones
(per-iteration columns, timestamps) are read alike, and those of rccl-tests too. Format: github.com/NVIDIA/nccl-tests,
src/util.cu at a0b82b22.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from components.agents.measure import records as arguments
from components.agents.measure.child_process import (
    CannotMeasureError,
    FoundWrongError,
    abbreviate_output,
    number,
    run,
    strip_colours,
    text,
)
from components.agents.measure.records import build_record, report_results

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from decimal import Decimal

    from planning.agents.measurement_records import MeasurementRecord

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


def parse_nccl_tests(output: str, *, beside: str = "") -> NcclTestsResult:
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


SECONDS: Final = 3600.0
ALL_REDUCE: Final = "all_reduce"


def build_all_reduce_records(
    check: str, subject: str, output: NcclTestsResult, *, params: Mapping[str, str]
) -> list[MeasurementRecord]:
    """A record for each payload; wrong sums fail every one."""
    wrong = [f"all-reduce: {output.wrong} values are wrong"] if output.wrong else []
    return [
        build_record(
            check,
            subject,
            tool=output.version,
            readings=[("bus", text(row.bus), "GB/s"), ("algorithm", text(row.algorithm), "GB/s")],
            params={**params, "payload_bytes": str(row.payload_bytes)},
            failed=wrong,
        )
        for row in output.rows
    ]


def over_nodes(
    command: Sequence[str], *, subject: str, nodes: int, accelerators: int, seconds: float, params: Mapping[str, str]
) -> list[MeasurementRecord]:
    """Records of one run over exactly so many nodes.

    Raises:
        FoundWrongError: NCCL gave up, it hung, or others than these nodes took part.
        CannotMeasureError: the command cannot be run, or prints nothing of nccl-tests.
    """
    ran = run(command, seconds=seconds)
    try:
        output = parse_nccl_tests(ran.out, beside=ran.err)
    except CannotMeasureError as error:
        raise CannotMeasureError(
            f"{error}; it ended with {ran.status} and said: {abbreviate_output(ran.err)}"
        ) from error
    if len(output.hosts) != nodes or output.ranks != nodes * accelerators:
        took = f"{output.ranks} accelerators of {len(output.hosts)} nodes"
        raise FoundWrongError(f"all-reduce: {took} took part, not {nodes * accelerators} of {nodes}")
    return build_all_reduce_records(ALL_REDUCE, subject, output, params=params)


def main(words: Sequence[str]) -> int:
    """Run, and write the records."""
    told_words, command = _split(words)
    reader = arguments.parser(__doc__ or "")
    reader.add_argument("--pool", required=True)
    reader.add_argument("--nodes", required=True, type=arguments.positive)
    reader.add_argument("--accelerators", required=True, type=arguments.positive)
    reader.add_argument("--on", type=arguments.words, default=(), help="names of the nodes")
    reader.add_argument("--most", type=arguments.positive, default=2**34, help="bytes of the greatest all-reduce")
    reader.add_argument("--seconds", type=arguments.above_zero, default=SECONDS)
    options = reader.parse_args(told_words)
    if not command:
        reader.error("the command to run stands after --")
    subject = f"pool/{options.placement}/{options.pool}"
    params = {"nodes": str(options.nodes), **({"on": ", ".join(options.on)} if options.on else {})}
    try:
        records = over_nodes(
            command,
            subject=subject,
            nodes=options.nodes,
            accelerators=options.accelerators,
            seconds=options.seconds,
            params=params,
        )
    except FoundWrongError as error:
        stopped = {**params, "payload_bytes": str(options.most)}
        records = [build_record(ALL_REDUCE, subject, tool="nccl-tests", params=stopped, failed=[str(error)])]
    except CannotMeasureError as error:
        return report_results([], [f"{ALL_REDUCE}: {error}"])
    return report_results(records)


def _split(words: Sequence[str]) -> tuple[list[str], list[str]]:
    if "--" not in words:
        return list(words), []
    place = list(words).index("--")
    return list(words[:place]), list(words[place + 1 :])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
