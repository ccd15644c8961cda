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
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar, cast

from components.agents.mover.manifest import Manifest, ManifestError, ManifestRow, ManifestWriter, write_json
from components.agents.mover.progress import ProgressPage, serve_progress
from components.agents.mover.rounds import copy_round
from components.agents.mover.scan import (
    Sample,
    ScanCallbacks,
    ScanRequest,
    ScanStoppedError,
    Shard,
    facts_of,
    write_manifest,
)
from components.agents.mover.store.model import BucketEndpoint, Head, StoreError
from components.agents.mover.store.s3_client import connect
from components.agents.mover.transfer_plan import CopyOptions
from components.agents.mover.worker_pool import Bandwidth

if TYPE_CHECKING:
    from collections.abc import Mapping


SIDES: Final = ("source", "target")
_MISSING: Final = object()
T = TypeVar("T")


class SpecError(Exception):
    """A spec or keys that cannot be used; the message has every fault."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSpec:
    """Task of one copy worker.

    Args:
        name: of this run; results bear it.
        deposits: prefix below the reserved one, where results lie at the target.
        folder: for the ledger and manifests.
        options: of a copy; of a look, only the bandwidth counts.
        request: of a look, whose place is the side that is looked at.
        port: of the progress page; 0 for any that is free.
    """

    do: str
    name: str
    source: BucketEndpoint
    target: BucketEndpoint
    folder: Path
    deposits: str
    options: CopyOptions
    request: ScanRequest
    listen: str
    port: int

    @property
    def shard(self) -> Shard:
        return self.request.shard


def read_spec(path: Path, *, index: str) -> JobSpec:
    """Read the spec of one shard.

    Args:
        index: of the shard, as Kubernetes says it in JOB_COMPLETION_INDEX; "" for the first.

    Raises:
        SpecError: it cannot be used.
    """
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SpecError(f"{path}: {error}") from error
    found = _SpecFields(read)
    spec = _spec(found, index)
    if found.faults:
        raise SpecError(f"{path}: {'; '.join(found.faults)}")
    return spec


def _spec(found: _SpecFields, index: str) -> JobSpec:
    keys = Path(found.read_text("keys"))
    shards = found.read_number("shards", default=1)
    number = int(index or "0") if (index or "0").isdecimal() else -1
    if not 0 <= number < shards:
        found.faults.append(f"there is no shard {index!r} of {shards}")
    reserved = found.read_text("reserved")
    deposits = found.read_text("deposits", default=reserved)
    if not deposits.startswith(reserved):
        found.faults.append("deposits is not below reserved: movers would copy it")
    places = {side: _place(found.open_below(side), keys / side) for side in SIDES}
    shard, transfers = Shard(index=number, of=shards), found.read_number("transfers", default=8)
    versions, counts_tags = found.read_flag("versions"), found.read_flag("counts_tags")
    return JobSpec(
        do=found.read_word("do", ("copy", "look")),
        name=found.read_text("name"),
        **places,
        folder=Path(found.read_text("folder")),
        deposits=deposits,
        options=CopyOptions(
            versions=versions,
            transfers=transfers,
            bandwidth_mib_per_s=found.read_rate("mib_per_s"),
            tags_again=found.read_flag("tags_again"),
            tags_counted=counts_tags,
            shard=shard,
            reserved=reserved,
            expected_bytes=found.read_number("expected_bytes", default=0, least=0) or None,
        ),
        request=ScanRequest(
            place=places[found.read_word("looks_at", SIDES, default="source")],
            versions=versions,
            sample=Sample(
                percent=found.read_number("sample_percent", default=100),
                seed=found.read_text("sample_seed", default=""),
            ),
            shard=shard,
            reserved=reserved,
            counts_tags=counts_tags,
            threads=transfers,
        ),
        listen=found.read_text("listen", default="127.0.0.1"),
        port=found.read_number("port", default=0, least=0),
    )


def _place(found: _SpecFields, keys: Path) -> BucketEndpoint:
    return BucketEndpoint(
        endpoint=found.read_text("endpoint"),
        region=found.read_text("region"),
        bucket=found.read_text("bucket"),
        access_key=found.read_key(keys / "access_key"),
        secret_key=found.read_key(keys / "secret_key"),
        session_token=found.read_key(keys / "session_token", needed=False),
        authority=found.read_text("authority", default=""),
        path_style=found.read_flag("path_style", default=True),
    )


class _SpecFields:
    """Typed fields of a JSON object; faults are collected."""

    def __init__(self, read: object, *, at: str = "", faults: list[str] | None = None) -> None:
        self.faults: list[str] = [] if faults is None else faults
        self._at = at
        self._found: Mapping[str, object] = cast("dict[str, object]", read) if isinstance(read, dict) else {}
        if not isinstance(read, dict):
            self.faults.append(f"{at or 'the whole'} is no object")

    def open_below(self, name: str) -> _SpecFields:
        return _SpecFields(self._found.get(name), at=f"{self._at}{name}.", faults=self.faults)

    def read_text(self, name: str, *, default: object = _MISSING) -> str:
        value = self._found.get(name, default)
        return value if isinstance(value, str) and (value or default == "") else self._refuse(name, "a text", "")

    def read_flag(self, name: str, *, default: bool = False) -> bool:
        value = self._found.get(name, default)
        return value if isinstance(value, bool) else self._refuse(name, "true or false", default)

    def read_number(self, name: str, *, default: int, least: int = 1) -> int:
        value = self._found.get(name, default)
        right = isinstance(value, int) and not isinstance(value, bool) and value >= least
        return cast("int", value) if right else self._refuse(name, f"a whole number of at least {least}", default)

    def read_rate(self, name: str) -> float | None:
        value = self._found.get(name)
        right = value is None or (isinstance(value, int | float) and not isinstance(value, bool) and value > 0)
        return cast("float | None", value) if right else self._refuse(name, "a number over 0 or null", None)

    def read_word(self, name: str, words: tuple[str, ...], *, default: str = "") -> str:
        value = self._found.get(name, default)
        return str(value) if value in words else self._refuse(name, f"one of {', '.join(words)}", words[0])

    def read_key(self, path: Path, *, needed: bool = True) -> str:
        try:
            value = path.read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            value = ""
        except (OSError, ValueError) as error:
            self.faults.append(f"{path} cannot be read: {type(error).__name__}")
            return ""
        if needed and not value:
            self.faults.append(f"{path}: no key is there")
        return value

    def _refuse(self, name: str, wanted: str, instead: T) -> T:
        self.faults.append(f"{self._at}{name} is not {wanted}")
        return instead


# Exit codes; `operations.relocation.jobs.objects` tells Kubernetes what they mean.
DONE: Final = 0
FAILED: Final = 1  # may succeed when it is tried again
REFUSED: Final = 2  # would be refused again
STOPPED: Final = 75  # asked to stop, goes on when it is started again; EX_TEMPFAIL of sysexits.h
INDEX: Final = "JOB_COMPLETION_INDEX"  # set by Kubernetes
MANIFEST: Final = "manifest.gz"
RESULT: Final = "result.json"


def main(arguments: list[str]) -> int:
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
    """Run the task while the progress page is served; the result is at the target when this returns.

    Raises:
        StoreError: a store refused or failed.
        OSError: the folder cannot be written, or the page's port is taken.
    """
    progress = ProgressPage()
    labels = {"name": spec.name, "do": spec.do, "bucket": spec.source.bucket, "shard": str(spec.shard.index)}
    with serve_progress(progress, labels, listen=spec.listen, port=spec.port) as port:
        say(f"{spec.do} of shard {spec.shard.index} of {spec.shard.of}, progress on port {port}")
        folder_of(spec).mkdir(parents=True, exist_ok=True)
        began = time.monotonic()
        code, found = _copy(spec, progress, stopping) if spec.do == "copy" else _look(spec, progress, stopping)
        # No result: it would be taken for that of a round that came to its end.
        if code == STOPPED:
            say("stopped as asked; started again it goes on from here")
            return code
        result = {"labels": labels, "exit_code": code, "seconds": round(time.monotonic() - began, 3), **found}
        write_json(folder_of(spec) / RESULT, result)
        deposit(spec, folder_of(spec) / RESULT)
        progress.finish()
        say(json.dumps(found, sort_keys=True)[:2000])
    return code


def folder_of(spec: JobSpec) -> Path:
    """Folder of a shard."""
    # The same in every round: the shard's ledger is there.
    return spec.folder / f"{spec.source.bucket}-{spec.shard.index}-of-{spec.shard.of}"


def deposit_key(deposits: str, name: str, file: str, *, index: int, of: int) -> str:
    return f"{deposits}{name}/{index}-of-{of}/{file}"


def deposit(spec: JobSpec, path: Path) -> None:
    """Upload a file below the reserved prefix of the target, where the waiting command reads it."""
    key = deposit_key(spec.deposits, spec.name, path.name, index=spec.shard.index, of=spec.shard.of)
    with (
        path.open("rb") as file,
        closing(connect(spec.target)) as store,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped,
        memoryview(mapped) as whole,
    ):
        digest = sha256(whole).hexdigest()
        store.put(key, whole, sha256=digest, like=Head(size=len(whole), etag=""))


def _copy(spec: JobSpec, progress: ProgressPage, stopping: threading.Event) -> tuple[int, dict[str, object]]:
    if spec.options.expected_bytes is not None:
        progress.expect(objects=0, size=spec.options.expected_bytes)
    options = replace(spec.options, stop=stopping.is_set, watch=progress.reach)
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
    """Upload the source's manifest, written during the copy, as that of one shard."""
    facts = {"look": spec.name, "read": "while it was copied", "shard": asdict(spec.shard)}
    zipped = folder_of(spec) / MANIFEST
    with ManifestWriter(zipped, bucket=spec.source.bucket, facts=facts) as writer:
        for row in Manifest(path).read_rows():
            writer.add(row)
    deposit(spec, zipped)


def _look(spec: JobSpec, progress: ProgressPage, stopping: threading.Event) -> tuple[int, dict[str, object]]:
    def count(found: ManifestRow) -> None:
        progress.add(objects=1, size=found.size if found.digest else 0)

    path = folder_of(spec) / MANIFEST
    spend = Bandwidth(spec.options.bandwidth_mib_per_s).take
    watching = ScanCallbacks(row=count, spend=spend, stop=stopping.is_set)
    facts = facts_of(spec.request, spec.name)
    try:
        seen = write_manifest(connect, spec.request, path, facts=facts, watching=watching)
    except ScanStoppedError:
        return STOPPED, {}
    deposit(spec, path)
    return DONE, {"look": asdict(seen)}


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
