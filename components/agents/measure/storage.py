"""One storage tier from one node: what data loaders read, what checkpoints write, code of tiny files, small files.

Where several nodes run it at the same time, each records its own figures, and the report adds them up.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from components.agents.measure import records as arguments
from components.agents.measure.child_process import CannotMeasureError, FoundWrongError, abbreviate_output, run, text
from components.agents.measure.records import build_record, report_results

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    from planning.agents.measurement_records import MeasurementRecord

MEGA: Final = 10**6


@dataclass(frozen=True)
class FioResult:
    """All jobs of one run in sum: MB/s of 10^6 bytes, and IOPS."""

    version: str
    read_mb_per_s: Decimal
    write_mb_per_s: Decimal
    read_iops: Decimal
    write_iops: Decimal


def parse_fio(output: str) -> FioResult:
    """The figures of one run of `fio --output-format=json`, version 3; its notes may stand before and after.

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
    # Where a run fails before its jobs begin, fio prints zeros and no error here, and the reason on stderr.
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


IN_A_FOLDER: Final = 1000


@dataclass(frozen=True)
class SmallFileTimes:
    """Seconds for all files."""

    create: float
    read: float
    remove: float


def measure_small_files(
    folder: Path, *, files: int, size: int, clock: Callable[[], float] = time.monotonic
) -> SmallFileTimes:
    """Make, read and remove so many files of so many bytes in an empty folder.

    What was read is not in memory where the system lets it be dropped; on a network it may still be at the server.

    Raises:
        OSError: the file system refuses.
    """
    content = os.urandom(size)
    paths = [folder / f"{number // IN_A_FOLDER}" / f"{number}.py" for number in range(files)]
    moments = [clock()]
    for path in paths:
        path.parent.mkdir(exist_ok=True)
        _make(path, content)
    moments.append(clock())
    for path in paths:
        path.read_bytes()
    moments.append(clock())
    for path in paths:
        path.unlink()
    moments.append(clock())
    return SmallFileTimes(create=moments[1] - moments[0], read=moments[2] - moments[1], remove=moments[3] - moments[2])


def _make(path: Path, content: bytes) -> None:
    opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(opened, content)
        os.fsync(opened)
        os.posix_fadvise(opened, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(opened)


SECONDS: Final = 60.0
SPARE_SECONDS: Final = 1800  # for fio to lay out its files before it reads them
SMALL_BYTES: Final = 4096
FILES: Final = 10_000


@dataclass(frozen=True)
class StorageCheckContext:
    """The tier, and what its checks are run with."""

    placement: str
    name: str
    node: str
    nodes: int
    folder: Path
    seconds: float
    size_mb: int
    jobs: int
    files: int

    @property
    def subject(self) -> str:
        """Subject of its records."""
        return f"tier/{self.placement}/{self.name}"

    def list_params(self, **more: str) -> dict[str, str]:
        """Params of its records."""
        return {"nodes": str(self.nodes), "node": self.node, **more}


def loader(tier: StorageCheckContext) -> list[MeasurementRecord]:
    """Reads of 1 MiB, in order and at random."""
    runs = [_fio(tier, way, "--bs=1M") for way in ("read", "randread")]
    # The slower one counts: shuffled shards are read both ways.
    slower = min(runs, key=lambda each: each.read_mb_per_s)
    readings = [("read", text(slower.read_mb_per_s), "MB/s")]
    return [build_record("loader", tier.subject, tool=slower.version, readings=readings, params=tier.list_params())]


def checkpoint(tier: StorageCheckContext) -> list[MeasurementRecord]:
    """Writes of 4 MiB in order, kept for good at the end."""
    ran = _fio(tier, "write", "--bs=4M", "--end_fsync=1")
    readings = [("write", text(ran.write_mb_per_s), "MB/s")]
    return [build_record("checkpoint", tier.subject, tool=ran.version, readings=readings, params=tier.list_params())]


def code(tier: StorageCheckContext) -> list[MeasurementRecord]:
    """Reads and writes of 4 KiB at random, seven reads to three writes."""
    ran = _fio(tier, "randrw", "--rwmixread=70", "--bs=4k")
    readings = [("read", text(ran.read_iops), "IOPS"), ("write", text(ran.write_iops), "IOPS")]
    return [build_record("code", tier.subject, tool=ran.version, readings=readings, params=tier.list_params())]


def many_files(tier: StorageCheckContext) -> list[MeasurementRecord]:
    """Many small files made, read and removed."""
    with _folder(tier) as folder:
        took = measure_small_files(folder, files=tier.files, size=SMALL_BYTES)
    readings = [
        (name, text(value), "s")
        for name, value in (("create", took.create), ("read", took.read), ("remove", took.remove))
    ]
    params = tier.list_params(files=str(tier.files), bytes=str(SMALL_BYTES))
    return [build_record("small_files", tier.subject, tool="Python", readings=readings, params=params)]


CHECKS: Final[Mapping[str, Callable[[StorageCheckContext], list[MeasurementRecord]]]] = {
    "loader": loader,
    "checkpoint": checkpoint,
    "code": code,
    "small_files": many_files,
}


def run_storage_checks(tier: StorageCheckContext, names: Sequence[str]) -> tuple[list[MeasurementRecord], list[str]]:
    """The records of some checks, and a sentence for each check that could not be measured."""
    if not tier.folder.is_dir():
        return [], [f"{name}: {tier.folder} is no folder" for name in names]
    records: list[MeasurementRecord] = []
    faults: list[str] = []
    for name in names:
        try:
            records += CHECKS[name](tier)
        except CannotMeasureError as error:
            faults.append(f"{name}: {error}")
        except (FoundWrongError, OSError) as error:
            words = str(error) if isinstance(error, FoundWrongError) else f"{tier.folder}: {error}"
            params = tier.list_params(files=str(tier.files), bytes=str(SMALL_BYTES))
            records.append(build_record(name, tier.subject, tool=name, params=params, failed=[words]))
    return records, faults


@contextmanager
def _folder(tier: StorageCheckContext) -> Generator[Path, None, None]:
    """A folder of our own in the tier, removed afterwards."""
    made = Path(tempfile.mkdtemp(prefix="atoll-acceptance-", dir=tier.folder))
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _fio(tier: StorageCheckContext, way: str, *more: str) -> FioResult:
    """One run of fio with O_DIRECT, where the file system allows it."""
    with _folder(tier) as folder:
        command = [
            "fio",
            "--name=atoll",
            f"--directory={folder}",
            f"--rw={way}",
            *more,
            f"--size={tier.size_mb}M",
            f"--numjobs={tier.jobs}",
            f"--runtime={tier.seconds:g}s",
            "--time_based",
            "--ioengine=psync",
            "--group_reporting",
            "--output-format=json",
        ]
        limit = tier.seconds + SPARE_SECONDS
        ran = run([*command, "--direct=1"], seconds=limit)
        # Not every file system allows O_DIRECT; what the page cache holds is dropped first then.
        if ran.status and "O_DIRECT" in ran.out + ran.err:
            ran = run([*command, "--direct=0", "--invalidate=1"], seconds=limit)
        if ran.status:
            raise FoundWrongError(f"fio ended with {ran.status}: {abbreviate_output(ran.err or ran.out)}")
        try:
            return parse_fio(ran.out)
        except CannotMeasureError as error:
            raise CannotMeasureError(f"{error}; it said: {abbreviate_output(ran.err)}") from error


def main(words: Sequence[str]) -> int:
    """Measure, and write the records."""
    reader = arguments.parser(__doc__ or "")
    reader.add_argument("--tier", required=True)
    reader.add_argument("--node", required=True)
    reader.add_argument("--nodes", required=True, type=arguments.positive)
    reader.add_argument("--folder", required=True, type=Path)
    reader.add_argument("--checks", type=arguments.one_of(tuple(CHECKS)), default=tuple(CHECKS))
    reader.add_argument("--seconds", type=arguments.above_zero, default=SECONDS, help="of each run of fio")
    reader.add_argument("--size-mb", type=arguments.positive, default=8192, help="of each file of fio")
    reader.add_argument("--jobs", type=arguments.positive, default=8, help="of fio at once")
    reader.add_argument("--files", type=arguments.positive, default=FILES, help="small files")
    options = reader.parse_args(words)
    tier = StorageCheckContext(
        placement=options.placement,
        name=options.tier,
        node=options.node,
        nodes=options.nodes,
        folder=options.folder,
        seconds=options.seconds,
        size_mb=options.size_mb,
        jobs=options.jobs,
        files=options.files,
    )
    return report_results(*run_storage_checks(tier, options.checks))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
