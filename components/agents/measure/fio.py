"""What `fio --output-format=json` prints; its notes may stand before and after. fio 3.

Where a run fails before its jobs begin, fio prints them with zeros and no error, and says why elsewhere.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, cast

from components.agents.measure.child_process import CannotMeasureError, FoundWrongError, abbreviate_output

if TYPE_CHECKING:
    from collections.abc import Mapping

MEGA: Final = 10**6


@dataclass(frozen=True)
class FioResult:
    """All jobs of one run in sum: MB/s of 10^6 bytes, and IOPS."""

    version: str
    read_mb_per_s: Decimal
    write_mb_per_s: Decimal
    read_iops: Decimal
    write_iops: Decimal


def parse(output: str) -> FioResult:
    """The figures of one run.

    Raises:
        FoundWrongError: a job ended with an error, which is named.
        CannotMeasureError: no output of fio, or one that was cut short.
    """
    body = _object(output)
    jobs = body.get("jobs")
    if not isinstance(jobs, list) or not jobs:
        raise CannotMeasureError(f"fio names no job: {abbreviate_output(output)}")
    sums = dict.fromkeys(("read.bw_bytes", "write.bw_bytes", "read.iops", "write.iops"), Decimal())
    for job in cast("list[object]", jobs):
        if not isinstance(job, dict):
            raise CannotMeasureError(f"fio names a job that is none: {abbreviate_output(output)}")
        cells = cast("Mapping[str, object]", job)
        if cells.get("error"):
            raise FoundWrongError(f"fio: job {cells.get('jobname')!r} ended with error {cells.get('error')}")
        for key in sums:
            sums[key] += _figure(cells, key)
    if not any(sums.values()):
        raise CannotMeasureError("fio neither read nor wrote anything")
    return FioResult(
        version=str(body.get("fio version") or "fio"),
        read_mb_per_s=sums["read.bw_bytes"] / MEGA,
        write_mb_per_s=sums["write.bw_bytes"] / MEGA,
        read_iops=sums["read.iops"],
        write_iops=sums["write.iops"],
    )


def _figure(job: Mapping[str, object], key: str) -> Decimal:
    way, name = key.split(".")
    part = job.get(way)
    value = cast("Mapping[str, object]", part).get(name) if isinstance(part, dict) else None
    if not isinstance(value, Decimal) or not value.is_finite() or value < 0:
        raise CannotMeasureError(f"fio gives no {name} of {way}")
    return value


def _object(output: str) -> Mapping[str, object]:
    """The JSON object in an output, whose numbers are Decimals."""
    start = output.find("{")
    decoder = json.JSONDecoder(parse_float=Decimal, parse_int=Decimal)
    try:
        body: Any = decoder.raw_decode(output, start)[0] if start >= 0 else None
    except (ValueError, ArithmeticError, RecursionError) as error:
        raise CannotMeasureError(f"the output of fio is not JSON, or cut short: {abbreviate_output(output)}") from error
    if not isinstance(body, dict):
        raise CannotMeasureError(f"this is no output of fio: {abbreviate_output(output)}")
    return cast("Mapping[str, object]", body)
