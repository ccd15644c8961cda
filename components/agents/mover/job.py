"""A mover that runs alone, in a pod or here: does what its spec says, tells how far it is, stops when it is asked to.

python -m components.agents.mover SPEC
"""

from __future__ import annotations

import json
import mmap
import os
import signal
import sys
import threading
import time
from contextlib import closing
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

from components.agents.mover import progress_page
from components.agents.mover.bandwidth import Bandwidth
from components.agents.mover.bucket_copy import copy_round
from components.agents.mover.job_spec import SpecError, read_spec
from components.agents.mover.manifests import report
from components.agents.mover.manifests.manifest import ManifestError, ManifestWriter, rows
from components.agents.mover.manifests.scan import Look, StoppedError, Watching
from components.agents.mover.manifests.shards import take
from components.agents.mover.round_model import CopyOptions
from components.agents.mover.store.model import Head, StoreError
from components.agents.mover.store.s3_client import connect

if TYPE_CHECKING:
    from components.agents.mover.job_spec import JobSpec
    from components.agents.mover.manifests.row import Row
    from components.agents.mover.progress import Progress

# Exit codes; `operations.relocation.jobs.objects` tells Kubernetes what they mean.
DONE: Final = 0
FAILED: Final = 1  # may succeed when it is tried again
REFUSED: Final = 2  # would be refused again
STOPPED: Final = 75  # asked to stop, goes on when it is started again; EX_TEMPFAIL of sysexits.h
INDEX: Final = "JOB_COMPLETION_INDEX"  # set by Kubernetes
MANIFEST: Final = "manifest.gz"
RESULT: Final = "result.json"


def main(arguments: list[str]) -> int:
    """Run one shard; the exit code."""
    if len(arguments) != 1:
        say("usage: python -m components.agents.mover SPEC")
        return REFUSED
    stopping = threading.Event()

    def stop(*_: object) -> None:
        stopping.set()

    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, stop)
    try:
        spec = read_spec(Path(arguments[0]), index=os.environ.get(INDEX, ""))
        return run(spec, stopping)
    except (SpecError, ManifestError) as error:
        say(f"refused: {error}")
        return REFUSED
    except (StoreError, OSError) as error:
        say(f"failed: {error}")
        return FAILED


def run(spec: JobSpec, stopping: threading.Event) -> int:
    """Do it while the progress page answers; the result lies at the target before this returns.

    Raises:
        StoreError: a store refused or failed.
        OSError: the folder cannot be written, or the page's port is taken.
    """
    progress = progress_page.ProgressPage()
    labels = {"name": spec.name, "do": spec.do, "bucket": spec.source.bucket, "shard": str(spec.shard.index)}
    with progress_page.served(progress, labels, listen=spec.listen, port=spec.port) as port:
        say(f"{spec.do} of shard {spec.shard.index} of {spec.shard.of}, progress on port {port}")
        folder_of(spec).mkdir(parents=True, exist_ok=True)
        began = time.monotonic()
        code, found = _copy(spec, progress, stopping) if spec.do == "copy" else _look(spec, progress, stopping)
        if code == STOPPED:
            say("stopped as asked; started again it goes on from here")
            return code
        result = {"labels": labels, "exit_code": code, "seconds": round(time.monotonic() - began, 3), **found}
        report.write(folder_of(spec) / RESULT, result)
        deposit(spec, folder_of(spec) / RESULT)
        progress.finish()
        say(json.dumps(found, sort_keys=True)[:2000])
    return code


def folder_of(spec: JobSpec) -> Path:
    """Where the files of a shard lie; the same one for every round of its bucket, for its ledger is there."""
    return spec.folder / f"{spec.source.bucket}-{spec.shard.index}-of-{spec.shard.of}"


def deposit_key(deposits: str, name: str, file: str, *, index: int, of: int) -> str:
    """Under which key of the target's bucket a file of a run is found."""
    return f"{deposits}{name}/{index}-of-{of}/{file}"


def deposit(spec: JobSpec, path: Path) -> None:
    """Put a file below the reserved prefix at the target, where whoever waits reads it."""
    key = deposit_key(spec.deposits, spec.name, path.name, index=spec.shard.index, of=spec.shard.of)
    with (
        path.open("rb") as file,
        closing(connect(spec.target)) as store,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped,
        memoryview(mapped) as whole,
    ):
        digest = sha256(whole).hexdigest()
        store.put(key, whole, sha256=digest, like=Head(size=len(whole), etag=""))


def _copy(
    spec: JobSpec, progress: progress_page.ProgressPage, stopping: threading.Event
) -> tuple[int, dict[str, object]]:
    def watch(now: Progress) -> None:
        progress.reach(objects=now.objects, size=now.size)

    if spec.expected_bytes is not None:
        progress.expect(objects=0, size=spec.expected_bytes)
    options = CopyOptions(
        versions=spec.versions,
        transfers=spec.transfers,
        bandwidth_mib_per_s=spec.mib_per_s,
        tags_again=spec.tags_again,
        tags_counted=spec.counts_tags,
        shard=spec.shard,
        reserved=spec.reserved,
        expected_bytes=spec.expected_bytes,
        stop=stopping.is_set,
        watch=watch,
    )
    done = copy_round(spec.source, spec.target, folder=folder_of(spec), options=options, say=say)
    for key, why in (*done.failed, *done.foreign):
        progress.fail(f"{key}: {why}")
    if done.stopped:
        return STOPPED, {}
    if done.manifest:
        _deposit_manifest(spec, Path(done.manifest))
    if done.foreigns:
        return REFUSED, {"copy": asdict(done)}
    return FAILED if done.failures else DONE, {"copy": asdict(done)}


def _deposit_manifest(spec: JobSpec, path: Path) -> None:
    """The source's manifest, which was written while it was copied, as one shard of several."""
    facts = {"look": spec.name, "read": "while it was copied", "shard": asdict(spec.shard)}
    zipped = folder_of(spec) / MANIFEST
    with ManifestWriter(zipped, bucket=spec.source.bucket, facts=facts) as writer:
        for row in rows(path):
            writer.add(row)
    deposit(spec, zipped)


def _look(
    spec: JobSpec, progress: progress_page.ProgressPage, stopping: threading.Event
) -> tuple[int, dict[str, object]]:
    def row(found: Row) -> None:
        progress.add(objects=1, size=found.size if found.digest else 0)

    wanted = Look(
        place=spec.source if spec.looks_at == "source" else spec.target,
        versions=spec.versions,
        sample=spec.sample,
        shard=spec.shard,
        reserved=spec.reserved,
        counts_tags=spec.counts_tags,
        threads=spec.transfers,
    )
    path = folder_of(spec) / MANIFEST
    watching = Watching(row=row, spend=Bandwidth(spec.mib_per_s).take, stop=stopping.is_set)
    try:
        seen = take(connect, wanted, path, name=spec.name, watching=watching)
    except StoppedError:
        return STOPPED, {}
    deposit(spec, path)
    return DONE, {"look": asdict(seen)}


def say(line: str) -> None:
    """One line for the pod's log."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
