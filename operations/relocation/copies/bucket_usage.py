"""What the source's buckets really use: from the manifests that a relocation wrote, or by looking at them now.

A look lists every bucket and asks the head of each object; no bytes are read but of objects that have none.
"""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from components.agents.mover.manifest import Manifest, ManifestError
from components.agents.mover.rounds import MANIFEST
from components.agents.mover.scan import Connect, Sample, ScanCallbacks, ScanRequest, write_manifest
from components.agents.mover.store.model import BucketEndpoint, StoreError
from operations.relocation.buckets import pairs
from operations.relocation.config.reader import bucket_of
from operations.relocation.copies.verification import SOURCE as PROOF
from operations.relocation.copies.verification import tell_rows
from operations.relocation.runner.context import place_of
from operations.relocation.runner.step import StepError
from planning.relocation.inventory.assets import Feature, FeatureUsage, StatefulAsset
from planning.relocation.inventory.stack_inventory import AssetMeasurement
from planning.values.errors import Fault, InputError, in_one_line
from planning.values.money import Range

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from operations.relocation.config.endpoints import BucketMove, Places

LOOKED: Final = "look.manifest"
MANIFESTS: Final = (MANIFEST, PROOF, LOOKED)
CONTENT_TYPE: Final = "content-type"
# Kinds of stores that hold no access list, whoever writes one (catalogs/move_methods.yaml: minio_acl).
WITHOUT_ACLS: Final = frozenset({"minio"})


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketUsage:
    """Measurements of buckets.

    Args:
        things: key of a thing to what was counted of it.
        doubts: buckets of which a manifest cannot be believed or told to be a thing, and why.
    """

    things: Mapping[str, AssetMeasurement]
    doubts: tuple[tuple[str, str], ...] = ()


def read_usage(things: Iterable[StatefulAsset], every: Sequence[tuple[Places, Path]]) -> BucketUsage:
    """Measurements from the newest manifest of each bucket.

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
    """Measure a bucket by its manifest.

    Args:
        kind: of the source's store.

    Raises:
        ManifestError: it cannot be believed.
    """
    counts = Counter[str]()
    for row in Manifest(path).read_rows():
        headers = {name for name, _ in row.headers}
        counts["size"] += row.size
        counts["present"] += row.size if row.order == 0 else 0
        counts["objects"] += row.order == 0 and not row.deleted
        counts[Feature.VERSIONS] += row.order > 0 and not row.deleted
        counts[Feature.DELETE_MARKERS] += row.deleted
        counts[Feature.CONTENT_TYPE] += CONTENT_TYPE in headers
        counts[Feature.HEADERS] += bool(headers - {CONTENT_TYPE})
        counts[Feature.USER_METADATA] += bool(row.metadata)
        counts[Feature.TAGS] += bool(row.tags)
    used = (Feature.CONTENT_TYPE, Feature.HEADERS, Feature.USER_METADATA, Feature.TAGS)
    versions = (Feature.VERSIONS, Feature.DELETE_MARKERS)
    if bucket.versions or path.name == LOOKED or any(counts[each] for each in versions):
        used += versions
    when = datetime.fromtimestamp(path.stat().st_mtime, UTC).date()
    usage = FeatureUsage(
        objects=counts["objects"],
        counts={each: counts[each] for each in used} | ({Feature.ACLS: 0} if kind in WITHOUT_ACLS else {}),
        source=f"manifest of {counts['objects']:,} objects, {when}",
    )
    return AssetMeasurement(
        bytes=_exactly(counts["size" if bucket.versions else "present"]),
        objects=_exactly(counts["objects"]),
        versions=_exactly(counts[Feature.VERSIONS]) if bucket.versions else None,
        tagged=_exactly(counts[Feature.TAGS]),
        usage=usage,
    )


def look_now(
    places: Places,
    folder: Path,
    *,
    environment: Mapping[str, str],
    say: Callable[[str], None],
    connect: Connect = pairs.connect,
) -> None:
    """Scan every bucket of the source, and keep the manifests in the relocation's folder.

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


def _look(place: BucketEndpoint, path: Path, *, kind: str, say: Callable[[str], None], connect: Connect) -> None:
    with closing(connect(place)) as store:
        versions = store.is_versioned()
    wanted = ScanRequest(
        place=place,
        versions=versions,
        sample=Sample(percent=0),
        reserved=pairs.RESERVED,
        counts_tags=kind in pairs.COUNTS_TAGS,
    )
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    watching = ScanCallbacks(row=tell_rows(place.bucket, say))
    seen = write_manifest(connect, wanted, path, facts={"read": "by looking", "percent": 0}, watching=watching)
    changed = f", {seen.changes:,} were written meanwhile" if seen.changes else ""
    say(f"{place.bucket}: {seen.rows:,} looked at, {seen.size:,} bytes{changed}")


def _newest(folder: Path) -> Path | None:
    there = [folder / name for name in MANIFESTS if (folder / name).is_file()]
    return max(there, key=lambda each: each.stat().st_mtime, default=None)


def _exactly(count: int) -> Range:
    return Range.exactly(Decimal(count))
