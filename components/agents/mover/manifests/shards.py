"""Manifests of live buckets: of one shard by one mover, and of all shards together."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import asdict
from typing import TYPE_CHECKING, cast

from components.agents.mover.manifests.manifest import Manifest, ManifestError, ManifestWriter
from components.agents.mover.manifests.scan import ScanCallbacks, Shard, scan_bucket

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from components.agents.mover.manifests.manifest import Counts
    from components.agents.mover.manifests.row import ManifestRow
    from components.agents.mover.manifests.scan import ScanRequest, ScanResult
    from components.agents.mover.store.model import BucketClient, BucketEndpoint


def take(
    connect: Callable[[BucketEndpoint], BucketClient],
    wanted: ScanRequest,
    path: Path,
    *,
    name: str,
    watching: ScanCallbacks | None = None,
) -> ScanResult:
    """Write the manifest of a live bucket, or of one shard of it.

    Args:
        name: of this look, so that an older manifest is not taken for it.

    Raises:
        StoreError: the store refused or failed.
        StoppedError: as `watching` asked.
        OSError: the file cannot be written.
    """
    with ManifestWriter(path, bucket=wanted.place.bucket, facts=facts_of(wanted, name)) as writer:

        def both(row: ManifestRow) -> None:
            writer.add(row)
            if watching is not None:
                watching.row(row)

        quiet = watching or ScanCallbacks(row=lambda _: None)
        return scan_bucket(connect, wanted, ScanCallbacks(row=both, spend=quiet.spend, stop=quiet.stop))


def facts_of(wanted: ScanRequest, name: str) -> dict[str, object]:
    """What a manifest says of how it came about."""
    return {
        "look": name,
        "endpoint": wanted.place.endpoint,
        "versions": wanted.versions,
        "sample": asdict(wanted.sample),
        "shard": asdict(wanted.shard),
    }


def gather(parts: Iterable[Path], path: Path, *, name: str) -> Counts:
    """One manifest of all shards.

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
            for row in manifest.rows():
                writer.add(row)
        missing = [str(index) for index in range(max(of, 1)) if index not in shards]
        if writer is None or missing:
            raise ManifestError(f"{path}: shards {', '.join(missing)} of {of} are not there")
        return writer.close()


def _shard_of(manifest: Manifest, *, name: str, of: int) -> tuple[int, int]:
    shard = manifest.facts.get("shard")
    if manifest.facts.get("look") != name or not isinstance(shard, dict):
        raise ManifestError(f"{manifest.path}: of the look {manifest.facts.get('look')!r}, not {name!r}")
    told = cast("dict[str, int]", shard)
    if of not in {0, told["of"]}:
        raise ManifestError(f"{manifest.path}: one of {told['of']} shards, the others are of {of}")
    return told["index"], told["of"]
