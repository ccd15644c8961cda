"""Time and memory of the commands against their limits; `make bench` prints the table.

CPU seconds, of whole processes with their start-up and their bytecode on disk, as an installed program has it. The
least of several runs counts, because whatever else a machine does can only add to it; the median stands beside it.
Limits are the project's own.
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pack_1000 import prepared
from preview_500 import write

from catalogs.catalog import load
from planning.checklist.model.checklist import Checklist
from planning.checklist.reading.checklist_file import read_file
from planning.costs.resources.formats.file import read_file as read_preview
from planning.quoting.candidates.market import Market
from planning.quoting.price_report import report
from planning.quoting.quote_builder import quote

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parent.parent
ATOLL = str(Path(sys.executable).parent / "atoll")
BYTECODE = Path(tempfile.gettempdir()) / "atoll-bench-bytecode"
RUNS = 9
MANY = 1000
TWIN = "-twin"
MIB = 1024


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds of each run and the largest resident set in MiB (None in process)."""

    name: str
    seconds: list[float]
    mib: float | None
    limit_s: float
    limit_mib: float | None

    def row(self) -> str:
        """One line of the table."""
        median = statistics.median(self.seconds)
        verdict = "ok" if min(self.seconds) <= self.limit_s and (self.mib or 0) <= (self.limit_mib or 1e9) else "OVER"
        memory = "" if self.mib is None else f"{self.mib:6.0f} MiB (limit {self.limit_mib or 0:.0f})"
        return (
            f"{self.name:42} min {min(self.seconds) * 1000:8.1f}  median {median * 1000:8.1f} ms "
            f"(limit {self.limit_s * 1000:6.0f})  {memory:28} {verdict}"
        )


def process(
    name: str, *arguments: str, limit_s: float, limit_mib: float | None = None, folder: Path = ROOT
) -> Measured:
    """A whole `atoll` command, start-up included."""
    return timed(name, ATOLL, *arguments, limit_s=limit_s, limit_mib=limit_mib, folder=folder)


def timed(name: str, *command: str, limit_s: float, limit_mib: float | None = None, folder: Path = ROOT) -> Measured:
    """A whole process, start-up included."""
    launched = [sys.executable, str(ROOT / "benchmarks/one_process.py"), str(BYTECODE), *command]
    seconds: list[float] = []
    largest = 0
    for run in range(RUNS + 1):
        said = subprocess.run(launched, cwd=folder, check=True, capture_output=True, text=True).stdout
        code, _, cpu, kib = json.loads(said)
        if code not in (0, 10, 11):
            raise SystemExit(f"{name}: exit code {code}")
        if run:  # the first one writes the bytecode
            seconds.append(cpu)
            largest = max(largest, kib)
    return Measured(name, seconds, largest / MIB, limit_s, limit_mib)


def in_process(name: str, work: Callable[[], object], *, limit_s: float, runs: int = RUNS * 3) -> Measured:
    """A function, warm."""
    work()
    seconds: list[float] = []
    for _ in range(runs):
        started = time.process_time()
        work()
        seconds.append(time.process_time() - started)
    return Measured(name, seconds, None, limit_s, None)


def measure_quotes() -> list[Measured]:
    """Quotes of the demo, of the largest example and of a thousand workloads, catalog loaded."""
    market = Market(load())
    demo, largest = (read_file(ROOT / f"stacks/{name}/checklist.yaml") for name in ("demo", "rl-cpu"))
    return [
        quote_in_process("quote of the demo, in process", demo, market, limit_s=0.020),
        quote_in_process("quote of rl-cpu, in process", largest, market, limit_s=0.100),
        quote_in_process("quote of 1,000 equal workloads", many_workloads(same=True), market, limit_s=2, runs=3),
        quote_in_process("quote of 1,000 different workloads", many_workloads(same=False), market, limit_s=2, runs=1),
    ]


def quote_in_process(
    name: str, checklist: Checklist, market: Market, *, limit_s: float, runs: int = RUNS * 3
) -> Measured:
    """One quote, over and over."""
    today = market.catalog.prices.newest or date.min
    work = partial(quote, checklist, checklist_digest="", stack="bench", market=market, today=today)
    return in_process(name, work, limit_s=limit_s, runs=runs)


def many_workloads(*, same: bool) -> Checklist:
    """A checklist of a thousand workloads, equal or each with a model and a run of its own."""
    sizes = [1 if same else 1 + number for number in range(MANY)]
    training = {"kind": "training", "spot": True}
    works = [
        training | {"name": f"w{number}", "model": {"parameters": f"{1 + each % 60}B"}, "tokens": f"{9 + each}B"}
        for number, each in enumerate(sizes)
    ]
    return Checklist.model_validate({"customer": {"name": "many", "owner": "ml@many.example"}, "workloads": works})


def twinned(folder: Path) -> Path:
    """A catalog in which every region has a twin with the same machine prices: twice the offers."""
    root = folder / "catalogs"
    shutil.copytree(ROOT / "catalogs", root, ignore=shutil.ignore_patterns("__pycache__", "*.py", "checked.json"))
    header, *regions = (root / "regions.csv").read_text().splitlines()
    twins = [",".join((provider, f"{name}{TWIN}", rest)) for provider, name, rest in (r.split(",", 2) for r in regions)]
    (root / "regions.csv").write_text("\n".join([header, *regions, *twins]) + "\n")
    for path in root.glob("*/prices.csv"):
        header, *rows = path.read_text().splitlines()
        cells = [row.split(",", 4) for row in rows]
        more = [",".join((one, item, f"{at}{TWIN}", how, rest)) for one, item, at, how, rest in cells if how != "list"]
        path.write_text("\n".join([header, *rows, *more]) + "\n")
    return root


def measure_doubling(folder: Path) -> Measured:
    """A whole quote over twice the offers, whose limit is twice the time over the catalog as it is."""
    script = str(ROOT / "benchmarks/one_quote.py")
    once = timed("", sys.executable, script, str(ROOT / "catalogs"), limit_s=1)
    twice = timed("one quote, twice the offers", sys.executable, script, str(twinned(folder)), limit_s=1)
    return Measured(twice.name, twice.seconds, twice.mib, 2 * min(once.seconds), 100)


def measure_price(preview: Path) -> Measured:
    """The takeoff of a 500-resource preview, catalog loaded."""
    catalog = load()
    name = "price of 500 resources, in process"
    return in_process(name, lambda: report(read_preview(preview), catalog), limit_s=0.025)


def accepted_demo(folder: Path) -> None:
    """A project in `folder` whose demo is accepted."""
    shutil.copy(ROOT / "Pulumi.yaml", folder)
    shutil.copytree(ROOT / "stacks", folder / "stacks", ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run([ATOLL, "accept", "demo", "same_cloud"], cwd=folder, check=True, capture_output=True)


def main() -> None:
    """Print one line per measurement; exit 1 where one is over its limit."""
    with tempfile.TemporaryDirectory() as folder:
        preview = Path(folder) / "preview.json"
        write(preview)
        accepted_demo(Path(folder))
        pack = Path(folder) / "pack"
        pack.mkdir()
        rows = [
            process("atoll quote demo", "quote", "demo", limit_s=0.4, limit_mib=60),
            *measure_quotes(),
            measure_doubling(Path(folder) / "twice"),
            process("atoll price, 500 resources", "price", str(preview), limit_s=0.35),
            measure_price(preview),
            process("atoll plan demo", "plan", "demo", limit_s=2.5, folder=Path(folder)),
            in_process("policy pack, 1,000 resources", prepared(pack), limit_s=2),
        ]
    print("\n".join(each.row() for each in rows))
    if any("OVER" in each.row() for each in rows):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
