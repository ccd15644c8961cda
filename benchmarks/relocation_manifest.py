"""Memory and time of manifests of 1,000,000 keys: written in no order, read, and two of them compared.

python benchmarks/relocation_manifest.py prints one line; it exits 1 where it took more memory than its limit.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from components.agents.mover.compare import ComparisonTerms, compare
from components.agents.mover.manifest import Manifest, ManifestRow, ManifestWriter

KEYS = 1_000_000
STRIDE = 7_919_001  # no divisor of KEYS, so that every key comes once and none beside its neighbour
LIMIT_MIB = 300.0  # of the issue
CHILD = "child"


def main() -> None:
    """The figures of a fresh process, against their limit."""
    if sys.argv[1:2] == [CHILD]:
        work(Path(sys.argv[2]))
        return
    with tempfile.TemporaryDirectory(prefix="atoll-bench-") as folder:
        command = [sys.executable, str(Path(__file__)), CHILD, folder]
        if subprocess.run(command, check=False).returncode:
            raise SystemExit(1)


def work(folder: Path) -> None:
    """Write two, read one, compare both; what it took."""
    source, target = folder / "source.manifest", folder / "target.manifest"
    began = time.perf_counter()
    written(source, etag="source")
    written(target, etag="target")
    wrote = time.perf_counter()
    count = sum(1 for _ in Manifest(source).read_rows())
    read = time.perf_counter()
    found = compare(source, target, ComparisonTerms())
    ended = time.perf_counter()
    used = resource.getrusage(resource.RUSAGE_SELF)
    mib, processor = used.ru_maxrss / 1024, used.ru_utime + used.ru_stime
    verdict = "ok" if mib <= LIMIT_MIB and found.proven and count == KEYS else "OVER"
    print(
        f"manifests of {KEYS:,} keys: write two {wrote - began:.1f} s, read one {read - wrote:.1f} s, "
        f"compare {ended - read:.1f} s, processor time {processor:.0f} s, "
        f"{source.stat().st_size / 2**20:.0f} MiB each, peak memory {mib:.0f} MiB of {LIMIT_MIB:.0f}: {verdict}"
    )
    print(found.sentence)
    if verdict != "ok":
        raise SystemExit(1)


def written(path: Path, *, etag: str) -> None:
    """A manifest whose keys come in no order."""
    with ManifestWriter(path, bucket="models") as writer:
        for at in range(KEYS):
            writer.add(replace(row(at * STRIDE % KEYS), etag=etag, version=f"{etag}-{at}"))


def row(number: int) -> ManifestRow:
    """An object as a tracking server writes them: a key of 80 bytes, headers, metadata, tags."""
    return ManifestRow(
        key=f"artifacts/{number % 977:04}/{number:032x}/model/data/part-{number:09}.bin",
        size=number,
        digest=f"{number:064x}",
        headers=(("content-type", "application/octet-stream"),),
        metadata=(("run", f"{number:08x}"),),
        tags=(("team", "vision"),),
    )


if __name__ == "__main__":
    main()
