"""Manifests of live buckets: size, headers, metadata and tags of every object, and bytes where they are to be read.

SHA-256 over the SHA-256 of each block of 16 MiB, in order, and the size: blocks can be read side by side, and a store
that is given a block's digest checks it on arrival. An object without bytes has no block.
"""

from __future__ import annotations

import threading
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from itertools import groupby, islice
from operator import attrgetter
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from components.agents.mover.manifest import Counts, Manifest, ManifestError, ManifestRow, ManifestWriter
from components.agents.mover.store.model import BLOCK, BucketEndpoint, Head, Listed, StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
    from pathlib import Path

    from components.agents.mover.store.s3_client import S3Body, S3Store


Connect: TypeAlias = "Callable[[BucketEndpoint], S3Store]"
ALL: Final = 100  # percent
_DRAWS: Final = 2**64


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A share of whole objects, in all their versions; both sides draw the same objects, in any order and shard.

    An object of no bytes is always read. Chance decides on the others, so a few huge ones can miss the share that was
    asked by much: reports say how many bytes were read, not how many were asked.

    Args:
        percent: of the objects; 100 for every one.
        seed: what the draw hangs on, written into the report so that it can be drawn again.
    """

    percent: int = ALL
    seed: str = ""

    def reads(self, key: str, size: int) -> bool:
        if self.percent >= ALL or size == 0:
            return True
        return _draw_number(f"sample:{self.seed}:{key}") * ALL < self.percent * _DRAWS


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """One of several parts that together are a bucket.

    Args:
        index: from 0.
        of: how many there are.
    """

    index: int = 0
    of: int = 1

    def holds(self, key: str) -> bool:
        return self.of == 1 or _draw_number(f"shard:{key}") % self.of == self.index


def _draw_number(text: str) -> int:
    return int.from_bytes(sha256(text.encode("utf-8", "surrogatepass")).digest()[:8], "big")


def of_blocks(digests: Iterable[bytes], *, size: int) -> str:
    """Hexadecimal hash of an object from the SHA-256 of each block."""
    whole = sha256(f"atoll-blocks-{BLOCK}:{size}:".encode())
    for each in digests:
        whole.update(each)
    return whole.hexdigest()


READ_BYTES: Final = 2**18  # at once; eight threads hold no more than a few MiB
TOGETHER: Final = 16  # objects that one thread is given at once
NAMED: Final = 100  # objects that changed, by name; the rest are counted
# Statuses of HTTP.
NO_SUCH: Final = 404
NO_LONGER: Final = 412

Numbered = tuple[int, "Listed"]  # 0 is what a plain read gets


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanRequest:
    """What to scan.

    Args:
        versions: whether older versions and delete markers are looked at too.
        sample: whose bytes are read.
        reserved: prefix of our own objects, which are not the customer's; "" for none.
        counts_tags: whether the store tells how many tags an object has wherever it has any, as AWS and MinIO do; each
            object of another store is asked for them.
        threads: objects asked for side by side.
    """

    place: BucketEndpoint
    versions: bool = False
    sample: Sample = field(default_factory=Sample)
    shard: Shard = field(default_factory=Shard)
    reserved: str = ""
    counts_tags: bool = False
    threads: int = 8


@dataclass(slots=True, kw_only=True)
class ScanResult:
    """Counts of a scan.

    Args:
        size: bytes of every version.
        read_rows: versions whose bytes were read.
        changed: objects that were written or deleted between listing and reading; the first of them by name.
        reserved: objects of ours that were left out.
    """

    rows: int = 0
    size: int = 0
    read_rows: int = 0
    read_bytes: int = 0
    changes: int = 0
    changed: list[str] = field(default_factory=list[str])
    reserved: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanCallbacks:
    """Callbacks of a scan.

    Args:
        row: each row as it is known; by one thread.
        spend: bytes that are about to be read; returns when they may be, by any thread.
        stop: whether to stop before the next object.
    """

    row: Callable[[ManifestRow], None] = lambda _: None
    spend: Callable[[int], None] = lambda _: None
    stop: Callable[[], bool] = lambda: False


UNWATCHED: Final = ScanCallbacks()


class ScanStoppedError(Exception):
    """The scan was stopped between two objects, as requested."""


def scan_bucket(connect: Connect, wanted: ScanRequest, watching: ScanCallbacks) -> ScanResult:
    """Look at a bucket.

    Raises:
        StoreError: the store refused or failed.
        ScanStoppedError: as `watching` asked.
    """
    seen = ScanResult()
    mine = threading.local()
    with ExitStack() as stack:

        def open_store() -> S3Store:
            store = connect(wanted.place)
            stack.callback(store.close)
            return store

        def rows_of(several: list[Numbered]) -> list[ManifestRow | str]:
            if not hasattr(mine, "store"):
                mine.store = open_store()
            return [_row_or_change(mine.store, each, wanted, watching) for each in several]

        listed = _number_versions(open_store(), wanted, seen)
        results = _side_by_side(rows_of, listed, threads=wanted.threads, stop=watching.stop)
        stack.callback(results.close)
        for each in results:
            if isinstance(each, str):
                seen.changes += 1
                seen.changed += [each] if len(seen.changed) < NAMED else []
                continue
            seen.rows, seen.size = seen.rows + 1, seen.size + each.size
            if each.digest:
                seen.read_rows, seen.read_bytes = seen.read_rows + 1, seen.read_bytes + each.size
            watching.row(each)
    return seen


def _number_versions(store: S3Store, wanted: ScanRequest, seen: ScanResult) -> Iterator[Numbered]:
    """Every version in this shard, numbered per key."""
    listing = store.list_versions() if wanted.versions else store.list_objects()
    for key, versions in groupby(listing, attrgetter("key")):
        if wanted.reserved and key.startswith(wanted.reserved):
            seen.reserved += 1
        elif wanted.shard.holds(key):
            yield from enumerate(versions)


def _side_by_side(
    work: Callable[[list[Numbered]], list[ManifestRow | str]],
    listed: Iterable[Numbered],
    *,
    threads: int,
    stop: Callable[[], bool],
) -> Generator[ManifestRow | str]:
    """Results in the order of the listing, with few in memory."""
    rest = iter(listed)
    waiting: deque[Future[list[ManifestRow | str]]] = deque()
    with ThreadPoolExecutor(threads, "look") as pool:
        try:
            while several := list(islice(rest, TOGETHER)):
                if stop():
                    raise ScanStoppedError
                waiting.append(pool.submit(work, several))
                if len(waiting) >= 2 * threads:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)


def _row_or_change(
    store: S3Store, numbered: Numbered, wanted: ScanRequest, watching: ScanCallbacks
) -> ManifestRow | str:
    """Row of an object, or how it changed since it was listed."""
    order, listed = numbered
    if listed.deleted:
        return ManifestRow(key=listed.key, size=0, order=order, deleted=True, version=listed.version)
    try:
        head, digest = _read(store, listed, wanted, watching)
        if (head.size, head.etag) != (listed.size, listed.etag):
            return f"{listed.key}: written since it was listed: {listed.size} bytes then, {head.size} now"
        untagged = head.tag_count == 0 or (head.tag_count is None and wanted.counts_tags)
        tags = () if untagged else store.get_tags(listed.key, version=listed.version)
    except StoreError as error:
        if error.status == NO_SUCH:
            return f"{listed.key}: deleted since it was listed"
        if error.status == NO_LONGER:
            return f"{listed.key}: written since it was listed"
        raise
    return ManifestRow(
        key=listed.key,
        size=head.size,
        order=order,
        digest=digest,
        headers=head.headers,
        metadata=head.metadata,
        tags=tags,
        etag=head.etag,
        version=listed.version,
    )


def _read(store: S3Store, listed: Listed, wanted: ScanRequest, watching: ScanCallbacks) -> tuple[Head, str]:
    """Head of an object, and the hash of its bytes if they are read."""
    if not wanted.sample.reads(listed.key, listed.size):
        return store.head(listed.key, version=listed.version), ""
    body = store.open(listed.key, version=listed.version, etag=listed.etag)
    size, digest = digest_of(body, spend=watching.spend)
    if size != body.head.size:
        raise StoreError(f"{wanted.place.bucket}/{listed.key}: {size} of {body.head.size} bytes came")
    return body.head, digest


def digest_of(body: S3Body, *, spend: Callable[[int], None] = lambda _: None) -> tuple[int, str]:
    """Size and hash of a body, which is closed."""
    buffer = memoryview(bytearray(READ_BYTES))
    size, digests, block, held = 0, list[bytes](), sha256(), 0
    try:
        while got := body.read_into(buffer[: min(READ_BYTES, BLOCK - held)]):
            spend(got)
            block.update(buffer[:got])
            size, held = size + got, held + got
            if held == BLOCK:
                digests.append(block.digest())
                block, held = sha256(), 0
    finally:
        body.close()
    if held:
        digests.append(block.digest())
    return size, of_blocks(digests, size=size)


def write_manifest(
    connect: Connect,
    wanted: ScanRequest,
    path: Path,
    *,
    facts: Mapping[str, object],
    watching: ScanCallbacks = UNWATCHED,
) -> ScanResult:
    """Write the manifest of a bucket, or of one shard of it.

    Args:
        facts: what is read and how, for its first line.

    Raises:
        StoreError: the store refused or failed.
        ScanStoppedError: as `watching` asked.
        OSError: the file cannot be written.
    """
    with ManifestWriter(path, bucket=wanted.place.bucket, facts=facts) as writer:

        def add(row: ManifestRow) -> None:
            writer.add(row)
            watching.row(row)

        return scan_bucket(connect, wanted, replace(watching, row=add))


def facts_of(wanted: ScanRequest, name: str) -> dict[str, object]:
    """First line of a shard's manifest.

    Args:
        name: of this look, so that an older manifest is not taken for it.
    """
    return {
        "look": name,
        "endpoint": wanted.place.endpoint,
        "versions": wanted.versions,
        "sample": asdict(wanted.sample),
        "shard": asdict(wanted.shard),
    }


def gather(parts: Iterable[Path], path: Path, *, name: str) -> Counts:
    """Merge the manifests of all shards.

    Raises:
        ManifestError: a shard is missing, twice there, of another look, or cannot be believed.
    """
    shards: dict[int, Path] = {}
    of, whole = 0, dict[str, object]()
    writer: ManifestWriter | None = None
    with ExitStack() as stack:
        for each in parts:
            manifest = Manifest(each)
            manifest.begin()
            index, of = _shard_of(manifest, name=name, of=of)
            if index in shards:
                raise ManifestError(f"{each}: shard {index} is {shards[index]} too")
            shards[index] = each
            facts = {**manifest.facts, "shard": asdict(Shard())}
            if writer is None:
                whole = facts
                writer = stack.enter_context(ManifestWriter(path, bucket=manifest.bucket, facts=whole))
            if facts != whole:
                raise ManifestError(f"{each}: the shard was looked at otherwise than the others: {facts}, {whole}")
            for row in manifest.read_rows():
                writer.add(row)
        missing = [str(index) for index in range(max(of, 1)) if index not in shards]
        if writer is None or missing:
            raise ManifestError(f"{path}: shards {', '.join(missing)} of {of} are not there")
        return writer.close()


def _shard_of(manifest: Manifest, *, name: str, of: int) -> tuple[int, int]:
    shard = manifest.facts.get("shard")
    if manifest.facts.get("look") != name or not isinstance(shard, dict):
        raise ManifestError(f"{manifest.path}: of the look {manifest.facts.get('look')!r}, not {name!r}")
    known = cast("dict[str, int]", shard)
    if of not in {0, known["of"]}:
        raise ManifestError(f"{manifest.path}: one of {known['of']} shards, the others are of {of}")
    return known["index"], known["of"]
