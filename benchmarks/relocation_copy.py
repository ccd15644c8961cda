"""Copy and proof of a bucket against `rclone sync --checksum` alone, between two MinIO servers on this computer.

python benchmarks/relocation_copy.py [RUNS]

Ours copies, reads every byte back at the target and compares the manifests; rclone only copies. Both write into a new
bucket, in turn, as whole processes; the least of several runs of each counts. On a machine that others use, only the
ratio means anything; processor time, of the client and both servers together, says more there than the clock.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

from components.agents.mover.compare import ComparisonTerms, compare
from components.agents.mover.manifest import ManifestWriter
from components.agents.mover.rounds import CopyOptions, copy_round
from components.agents.mover.scan import ScanCallbacks, ScanRequest, scan_bucket
from components.agents.mover.store.connection import EMPTY, HttpConnection, SigV4Signer
from components.agents.mover.store.model import BucketEndpoint, Head
from components.agents.mover.store.s3_client import connect

if TYPE_CHECKING:
    from collections.abc import Generator

BIN: Final = Path(__file__).parents[1] / "tools" / "bin"
LOOPBACK: Final = "127.0.0.1"
USER: Final = "benchmark"
REGION: Final = "us-east-1"
LEAST: Final = 0.9  # of rclone's throughput: the limit of issue 7
MIB: Final = 2**20
KINDS: Final = ((5000, 64 * 1024), (20, 256 * MIB))
RUNS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two servers."""

    source: str
    target: str
    secret: str
    folder: Path
    processes: tuple[int, ...] = ()

    def used(self) -> float:
        """Seconds of processor time that the servers and our children have used."""
        ours = os.times()
        found = ours.children_user + ours.children_system
        for each in self.processes:
            told = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
            found += (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")
        return found

    def place(self, endpoint: str, bucket: str) -> BucketEndpoint:
        """A bucket of one of them."""
        return BucketEndpoint(endpoint=endpoint, region=REGION, bucket=bucket, access_key=USER, secret_key=self.secret)


def main() -> None:
    """One line for each kind; exit 1 where one is under its limit."""
    if len(sys.argv) > 2:  # noqa: PLR2004 - the process that is timed
        ours(json.loads(sys.stdin.read()), Path(sys.argv[2]))
        return
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    good = True
    for count, size in KINDS:
        with tempfile.TemporaryDirectory(prefix="atoll-bench-") as folder, servers(Path(folder)) as pair:
            fill(pair, count=count, size=size)
            good &= measured(pair, count=count, size=size, runs=runs)
    if not good:
        raise SystemExit(1)


def measured(pair: Pair, *, count: int, size: int, runs: int) -> bool:
    """Time both in turn and print the figures; whether ours is fast enough."""
    seconds: dict[str, list[float]] = {"rclone": [], "ours": []}
    used: dict[str, list[float]] = {"rclone": [], "ours": []}
    for run in range(runs):
        for name, times in seconds.items():
            bucket = f"{name}-{run}"
            make_bucket(pair, pair.target, bucket)
            started, before = time.perf_counter(), pair.used()
            (run_rclone if name == "rclone" else run_ours)(pair, bucket)
            times.append(time.perf_counter() - started)
            used[name].append(pair.used() - before)
            shutil.rmtree(pair.folder / "target" / bucket)  # room on the disk; the server keeps an empty bucket
    best = {name: min(times) for name, times in seconds.items()}
    ratio = best["rclone"] / best["ours"]
    whole = count * size / MIB
    for name, least in best.items():
        told = " ".join(f"{each:.2f}" for each in seconds[name])
        print(f"  {name:7} {least:7.2f} s {whole / least:7.1f} MiB/s {count / least:8.1f} objects/s  (runs: {told})")
        print(f"          {min(used[name]):7.2f} s of processor time, servers among it")
    work = min(used["rclone"]) / min(used["ours"])
    verdict = "ok" if ratio >= LEAST else "TOO SLOW"
    told = f"{ratio:.2f} of rclone's copy (limit {LEAST}): {verdict}; {work:.2f} by processor time"
    print(f"{count} x {size // 1024} KiB: copy and proof at {told}")
    sys.stdout.flush()
    return ratio >= LEAST


def run_ours(pair: Pair, bucket: str) -> None:
    """Copy, read back, compare, in a process of its own."""
    command = [sys.executable, __file__, "ours", str(pair.folder / f"ledger-{bucket}")]
    asked = {"source": pair.source, "target": pair.target, "secret": pair.secret, "bucket": bucket}
    subprocess.run(command, input=json.dumps(asked), text=True, check=True)


def ours(asked: dict[str, str], folder: Path) -> None:
    """What the timed process does."""
    pair = Pair(source=asked["source"], target=asked["target"], secret=asked["secret"], folder=folder)
    target = pair.place(pair.target, asked["bucket"])
    options = CopyOptions(tags_counted=True)
    report = copy_round(pair.place(pair.source, "source"), target, folder=folder, options=options, say=lambda _: None)
    with ManifestWriter(folder / "target.manifest") as manifest:
        scan_bucket(connect, ScanRequest(place=target, counts_tags=True), ScanCallbacks(row=manifest.add))
    found = compare(Path(report.manifest), folder / "target.manifest", ComparisonTerms())
    if not (report.complete and found.proven and found.compared_rows == report.objects):
        raise SystemExit(f"the copy is not proven: {report} {found}")


def run_rclone(pair: Pair, bucket: str) -> None:
    """Rclone's copy alone, with as many transfers as ours."""
    surroundings = {"PATH": os.environ["PATH"], "HOME": str(pair.folder), "RCLONE_CONFIG": "/dev/null"}
    for name, endpoint in (("SOURCE", pair.source), ("TARGET", pair.target)):
        told = {"TYPE": "s3", "PROVIDER": "Minio", "ENDPOINT": endpoint, "REGION": REGION}
        told |= {"ACCESS_KEY_ID": USER, "SECRET_ACCESS_KEY": pair.secret}
        surroundings |= {f"RCLONE_CONFIG_{name}_{key}": value for key, value in told.items()}
    command = [str(BIN / "rclone"), "sync", "--checksum", *os.environ.get("RCLONE_MORE", "--transfers 8").split()]
    subprocess.run([*command, "source:source", f"target:{bucket}"], env=surroundings, check=True)


@contextlib.contextmanager
def servers(folder: Path) -> Generator[Pair]:
    """Two servers with a drive each, stopped at the end."""
    secret = secrets.token_hex(20)
    with contextlib.ExitStack() as stack:
        found = [stack.enter_context(server(folder, name, secret)) for name in ("source", "target")]
        (source, one), (target, other) = found
        yield Pair(source=source, target=target, secret=secret, folder=folder, processes=(one, other))


@contextlib.contextmanager
def server(folder: Path, name: str, secret: str) -> Generator[tuple[str, int]]:
    """One server; its address and process."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        port = probe.getsockname()[1]
    told = {"MINIO_ROOT_USER": USER, "MINIO_ROOT_PASSWORD": secret, "MINIO_CI_CD": "on", "MINIO_BROWSER": "off"}
    command = [str(BIN / "minio"), "server", str(folder / name), "--address", f"{LOOPBACK}:{port}"]
    with (folder / f"{name}.log").open("wb") as log:
        running = subprocess.Popen(command, env={"HOME": str(folder), **told}, stdout=log, stderr=log)
    try:
        wait(port)
        yield f"http://{LOOPBACK}:{port}", running.pid
    finally:
        running.terminate()
        running.wait()


def wait(port: int) -> None:
    """Until the server listens."""
    for _ in range(200):
        with contextlib.suppress(OSError), socket.create_connection((LOOPBACK, port), 1):
            return
        time.sleep(0.1)
    raise SystemExit("MinIO did not start within 20 s")


def make_bucket(pair: Pair, endpoint: str, bucket: str) -> None:
    """A new bucket."""
    host = endpoint.partition("//")[2]
    headers = {"host": host, "x-amz-content-sha256": EMPTY, "content-length": "0"}
    headers["x-amz-date"] = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    signer = SigV4Signer(access_key=USER, secret_key=pair.secret, region=REGION)
    headers["authorization"] = signer.build_authorization("PUT", f"/{bucket}", "", headers, payload=EMPTY)
    status = 0
    for _ in range(50):  # it listens before it is ready
        connection = HttpConnection(endpoint)
        status = connection.send("PUT", f"/{bucket}", headers).status
        connection.drop()
        if status == 200:  # noqa: PLR2004 - HTTP's word for done
            return
        time.sleep(0.2)
    raise SystemExit(f"no bucket was made: {status}")


def fill(pair: Pair, *, count: int, size: int) -> None:
    """Objects that are all different, of bytes that do not compress; large ones in parts, as tools write them."""
    make_bucket(pair, pair.source, "source")
    store = connect(pair.place(pair.source, "source"))
    content = bytearray(os.urandom(min(size, 16 * MIB)))
    like = Head(size=0, etag="", headers=(("content-type", "application/octet-stream"),))
    for number in range(count):
        key = f"folder-{number % 16:02}/object-{number:05}"
        content[:8] = number.to_bytes(8, "big")
        digest = sha256(content).hexdigest()
        if size == len(content):
            store.put(key, memoryview(content), sha256=digest, like=like)
            continue
        upload = store.create_upload(key, like=like)
        parts = range(1, size // len(content) + 1)
        etags = [store.upload_part(key, upload, part, memoryview(content), sha256=digest) for part in parts]
        store.complete_upload(key, upload, etags)
    store.close()


if __name__ == "__main__":
    main()
