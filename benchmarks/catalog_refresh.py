"""Time and memory of `atoll catalog refresh` against a server of the AWS price list on this machine.

python benchmarks/catalog_refresh.py prints two lines; it exits 1 where one is over its limit: the services of one
region without AmazonEC2, and AmazonEC2 alone, whose file is made up to 300 MB of rows with the real columns.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests" / "kits"))

from aws_recordings import ROOT as OFFERS  # noqa: E402
from aws_recordings import ROWS, VERSION, index, offer_text  # noqa: E402 - behind the path of the kits

if TYPE_CHECKING:
    from collections.abc import Iterator

ATOLL = str(Path(sys.executable).parent / "atoll")
HOSTS = "AmazonEC2"
LARGE = 300 * 10**6  # bytes of AmazonEC2 in one region
USUAL = 3 * 10**6  # bytes of each other offer, which have some hundred kB to some MB
LIMIT_S = 10.0
LIMIT_MIB = 150.0
REGION = "us-east-1"


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What one run of the command took."""

    seconds: float
    mib: float
    code: int


def write_offer(folder: Path, offer: str, *, size: int) -> int:
    """An offer as the server has it: the recorded rows, and reserved ones until it is as large as the real file."""
    place = folder / OFFERS.strip("/") / offer
    (place / VERSION / REGION).mkdir(parents=True)
    (place / "current").mkdir()
    (place / "current" / "region_index.json").write_text(json.dumps(index(offer, REGION)))
    text = offer_text(offer)
    filler = text.splitlines()[-1].replace('"OnDemand"', '"Reserved"', 1).encode() + b"\n"
    block = filler * (1 + (1 << 20) // len(filler))
    path = place / VERSION / REGION / "index.csv"
    with path.open("wb") as file:
        written = file.write(text.encode())
        while written < size:
            written += file.write(block)
    return path.stat().st_size


def serve(folder: Path) -> Iterator[str]:
    """The address of a process that serves a folder."""
    command = [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            line = server.stdout.readline() if server.stdout else ""
            yield line.partition("(")[2].partition("/)")[0]
        finally:
            server.kill()


def refresh(address: str, renewed: Path, *halves: str) -> Refreshed:
    """One run of the command in a process of its own, whose largest memory is that of all children so far."""
    mirrors = {"ATOLL_PRICES_AWS_BULK": address, "ATOLL_PRICES_GPUHUNT": f"{address}/nothing"}
    environment = {**os.environ, **mirrors, "ATOLL_CATALOG": str(renewed)}
    command = [ATOLL, "catalog", "refresh", "--provider", "aws", "--region", REGION, *halves, "--json"]
    began = time.perf_counter()
    done = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    took = time.perf_counter() - began
    return Refreshed(took, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024, done.returncode)


def main() -> None:
    """Both runs against their limits."""
    over = False
    with tempfile.TemporaryDirectory(prefix="atoll-bench-") as name:
        folder = Path(name)
        for offer in ROWS:
            if offer != HOSTS:
                write_offer(folder, offer, size=USUAL)
        for address in serve(folder):
            found = refresh(address, folder / "services", "--services")
            verdict = "ok" if found.seconds <= LIMIT_S and found.code == 0 else "OVER"
            over |= verdict != "ok"
            print(f"services of one region without {HOSTS}: {found.seconds:.1f} s of {LIMIT_S:.0f}: {verdict}")
            size = write_offer(folder, HOSTS, size=LARGE)
            found = refresh(address, folder / "machines", "--machines")
            verdict = "ok" if found.mib <= LIMIT_MIB and found.code == 0 else "OVER"
            over |= verdict != "ok"
            print(
                f"{HOSTS} of {size / 10**6:.0f} MB: {found.seconds:.1f} s, peak memory {found.mib:.0f} MiB of "
                f"{LIMIT_MIB:.0f}: {verdict}"
            )
    raise SystemExit(int(over))


if __name__ == "__main__":
    main()
