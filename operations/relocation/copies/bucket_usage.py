"""What the source's buckets really use: from the manifests that a relocation wrote, or by looking at them now.

A look lists every bucket and asks the head of each object; no bytes are read but of objects that have none.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from components.agents.mover.manifests.manifest import Manifest, ManifestError, ManifestWriter
from components.agents.mover.manifests.report import count_usage
from components.agents.mover.manifests.scan import Sample, ScanCallbacks, ScanRequest, scan_bucket
from components.agents.mover.rounds import MANIFEST
from components.agents.mover.store.model import StoreError
from operations.relocation.buckets import pairs
from operations.relocation.buckets.canary import place_of
from operations.relocation.config.bucket_locations import bucket_of
from operations.relocation.copies.verification import SOURCE as PROOF
from operations.relocation.runner.step import StepError
from planning.relocation.inventory.assets import Feature, FeatureUsage
from planning.relocation.inventory.stack_inventory import AssetMeasurement
from planning.values.errors import Fault, InputError, in_one_line
from planning.values.money import Range

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from components.agents.mover.manifests.row import ManifestRow
    from components.agents.mover.store.model import BucketEndpoint
    from operations.relocation.config.endpoints import BucketMove, Places
    from planning.relocation.inventory.assets import StatefulAsset

LOOKED: Final = "look.manifest"
MANIFESTS: Final = (MANIFEST, PROOF, LOOKED)
CONTENT_TYPE: Final = "content-type"
EVERY: Final = 10_000  # objects between two lines of progress
# Kinds of stores that hold no access list, whoever writes one (catalogs/move_methods.yaml: minio_acl).
WITHOUT_ACLS: Final = frozenset({"minio"})


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketUsage:
    """What was counted of buckets.

    Args:
        things: key of a thing to what was counted of it.
        doubts: buckets of which a manifest cannot be believed or told to be a thing, and why.
    """

    things: Mapping[str, AssetMeasurement]
    doubts: tuple[tuple[str, str], ...] = ()


def read_usage(things: Iterable[StatefulAsset], every: Sequence[tuple[Places, Path]]) -> BucketUsage:
    """What the newest manifest of each bucket says.

    Args:
        every: places of each relocation between the two, with its folder.
    """
    known = [each for each in things if each.key.startswith(("bucket/", "store/"))]
    found: dict[str, AssetMeasurement] = {}
    doubts: list[tuple[str, str]] = []
    for places, folder in every:
        for bucket in places.buckets:
            path = _newest(folder / "manifests" / bucket.source)
            if path is None:
                continue
            thing = next((each for each in known if bucket_of(each.key, each.locator, [bucket])), None)
            if thing is None:
                doubts.append((f"bucket {bucket.source}", "nothing of the inventory can be told to be it"))
                continue
            try:
                found[thing.key] = measure_manifest(path, bucket, kind=places.source.store.kind)
            except (ManifestError, OSError) as error:
                doubts.append((f"manifest of {bucket.source}", f"it cannot be believed: {error}"))
    return BucketUsage(things=found, doubts=tuple(doubts))


def measure_manifest(path: Path, bucket: BucketMove, *, kind: str) -> AssetMeasurement:
    """What a manifest says of its bucket.

    Args:
        kind: of the source's store.

    Raises:
        ManifestError: it cannot be believed.
    """
    manifest = Manifest(path)
    beside = _Beside()
    used = count_usage(beside.watched(manifest.rows()))
    counts = {
        Feature.CONTENT_TYPE: used.headers.get(CONTENT_TYPE, 0),
        Feature.HEADERS: beside.headed,
        Feature.USER_METADATA: used.with_metadata,
        Feature.TAGS: used.with_tags,
    }
    if bucket.versions or path.name == LOOKED or used.older_versions or used.delete_markers:
        counts |= {Feature.VERSIONS: used.older_versions, Feature.DELETE_MARKERS: used.delete_markers}
    if kind in WITHOUT_ACLS:
        counts[Feature.ACLS] = 0
    when = datetime.fromtimestamp(path.stat().st_mtime, UTC).date()
    usage = FeatureUsage(
        objects=used.objects,
        counts=counts,
        source=f"manifest of {used.objects:,} objects, {when}",
    )
    return AssetMeasurement(
        bytes=_exactly(used.size if bucket.versions else beside.present),
        objects=_exactly(used.objects),
        versions=_exactly(used.older_versions) if bucket.versions else None,
        tagged=_exactly(used.with_tags),
        usage=usage,
    )


class _Beside:
    """Counts, as rows go by, objects with headers other than their content type, and bytes without older versions."""

    headed = 0
    present = 0

    def watched(self, rows: Iterable[ManifestRow]) -> Iterator[ManifestRow]:
        for row in rows:
            self.present += row.size if row.order == 0 else 0
            self.headed += any(name != CONTENT_TYPE for name, _ in row.headers)
            yield row


def look_now(
    places: Places,
    folder: Path,
    *,
    environment: Mapping[str, str],
    say: Callable[[str], None],
    connect: pairs.Connect = pairs.connect,
) -> None:
    """Look at every bucket of the source, and keep what was seen as a manifest in the relocation's folder.

    Raises:
        InputError: keys are not set, or a store refused; every bucket at once.
    """
    store = places.source.store
    faults: list[Fault] = []
    for bucket in places.buckets:
        try:
            place = place_of(store, store.mover, bucket.source, environment)
            path = folder / "manifests" / bucket.source / LOOKED
            _look(place, path, kind=store.kind, say=say, connect=connect)
        except (StoreError, StepError, ManifestError) as error:
            hint = error.hint if isinstance(error, StepError) else ""
            message = in_one_line(error) if isinstance(error, StepError) else str(error)
            faults.append(Fault(message=message, file=bucket.source, hint=hint))
    if faults:
        raise InputError(f"{len(faults)} of {len(places.buckets)} buckets could not be looked at", faults=faults)


def _look(place: BucketEndpoint, path: Path, *, kind: str, say: Callable[[str], None], connect: pairs.Connect) -> None:
    with closing(connect(place)) as store:
        versions = store.versioned()
    wanted = ScanRequest(
        place=place,
        versions=versions,
        sample=Sample(percent=0),
        reserved=pairs.RESERVED,
        counts_tags=kind in pairs.COUNTS_TAGS,
    )
    count = 0

    def row(each: ManifestRow) -> None:
        nonlocal count
        count += 1
        if count % EVERY == 0:
            say(f"{place.bucket}: {count:,} looked at")
        writer.add(each)

    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    writer = ManifestWriter(path, bucket=place.bucket, facts={"read": "by looking", "percent": 0})
    try:
        seen = scan_bucket(connect, wanted, ScanCallbacks(row=row))
        writer.close()
    finally:
        writer.abandon()
    changed = f", {seen.changes:,} were written meanwhile" if seen.changes else ""
    say(f"{place.bucket}: {seen.rows:,} looked at, {seen.size:,} bytes{changed}")


def _newest(folder: Path) -> Path | None:
    there = [folder / name for name in MANIFESTS if (folder / name).is_file()]
    return max(there, key=lambda each: each.stat().st_mtime, default=None)


def _exactly(count: int) -> Range:
    return Range.exactly(Decimal(count))
