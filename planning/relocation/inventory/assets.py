"""The stateful things of a stack: what their loss would mean, what becomes of them, and what data has beside bytes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planning.values.money import Range


NOT_LOOKED: Final = "not looked at yet"
MEASURED: Final = "measured"
ASKED: Final = "the lock: as much as was asked for"
CLAIMED: Final = "the lock: as much as its volume holds"


class AssetKind(StrEnum):
    """What a thing is, which decides what can move it."""

    BUCKET = "bucket"
    POSTGRESQL = "PostgreSQL database"
    MYSQL = "MySQL database"
    FILE_SYSTEM = "shared file system"
    VOLUME = "volume"
    OBJECTS = "objects of the cluster"
    SECRETS = "secrets"
    KEY = "encryption key"
    REGISTRY = "registry of images"
    NAMES = "DNS names"
    LOGS = "logs"


class Loss(StrEnum):
    """What losing it would mean."""

    IRREPLACEABLE = "irreplaceable"
    LARGE = "large"  # could be had again, at a price: data sets, checkpoints
    RECREATABLE = "re-creatable"


class AssetTreatment(StrEnum):
    """What becomes of it."""

    MOVED = "moved"
    MADE_ANEW = "made anew"  # the target's program makes it, or it fills by itself
    STAYS = "stays"  # at the source, for as long as that is retained


class AssetSource(StrEnum):
    """Where it was found."""

    LOCK = "lock"
    PLAN = "plan"
    CLUSTER = "cluster"


@dataclass(frozen=True, slots=True, kw_only=True)
class StatefulAsset:
    """One stateful asset of the source.

    Args:
        key: unique in an inventory and the same in every plan: "bucket/cold-data", "database/mlflow".
        reason: of its class and of its treatment.
        part: platform component, tier or team that it belongs to.
        locator: name for its owner: a bucket, namespace/name.
        bytes: None where it was not measured.
        objects: objects, files or rows; None where they were not counted.
        sized_by: origin of the size.
        counted_with: key of the asset whose size includes this one; "" for its own size.
    """

    key: str
    title: str
    kind: AssetKind
    loss: Loss
    treatment: AssetTreatment
    reason: str
    part: str = ""
    locator: str = ""
    bytes: Range | None = None
    objects: Range | None = None
    sized_by: str = NOT_LOOKED
    counted_with: str = ""
    seen: tuple[AssetSource, ...] = (AssetSource.LOCK,)

    @property
    def moved(self) -> bool:
        """Whether its bytes cross over."""
        return self.treatment is AssetTreatment.MOVED


class Feature(StrEnum):
    """Something that a copy may lose."""

    CONTENT_TYPE = "content types"
    HEADERS = "other headers"  # cache-control, content-disposition, content-encoding, content-language
    USER_METADATA = "user metadata"
    TAGS = "tags"
    VERSIONS = "older versions"
    DELETE_MARKERS = "delete markers"
    ACLS = "access lists"
    STORAGE_CLASS = "storage class"
    TIMESTAMPS = "times of change"
    OWNERS = "owners"
    MODES = "modes"
    LINKS = "links"
    XATTRS = "extended attributes"
    ROLES = "roles and their rights"
    SEQUENCES = "sequences"
    LARGE_OBJECTS = "large objects"
    STATUS = "status of objects"


_OBJECT: Final = (
    Feature.CONTENT_TYPE,
    Feature.HEADERS,
    Feature.USER_METADATA,
    Feature.TAGS,
    Feature.VERSIONS,
    Feature.DELETE_MARKERS,
    Feature.ACLS,
    Feature.STORAGE_CLASS,
    Feature.TIMESTAMPS,
)
_FILE: Final = (
    Feature.OWNERS,
    Feature.MODES,
    Feature.TIMESTAMPS,
    Feature.LINKS,
    Feature.ACLS,
    Feature.XATTRS,
)
_ROWS: Final = (Feature.ROLES, Feature.SEQUENCES, Feature.LARGE_OBJECTS)
OF_KIND: Final[Mapping[AssetKind, tuple[Feature, ...]]] = {
    AssetKind.BUCKET: _OBJECT,
    AssetKind.FILE_SYSTEM: _FILE,
    AssetKind.VOLUME: _FILE,
    AssetKind.POSTGRESQL: _ROWS,
    AssetKind.MYSQL: (Feature.ROLES,),
    AssetKind.OBJECTS: (Feature.STATUS,),
}
# The target has its own of these: a copy without them has lost nothing that anybody misses.
_ITS_OWN: Final = frozenset({Feature.STORAGE_CLASS, Feature.STATUS, Feature.ROLES})


def is_relevant_loss(feature: Feature, kind: AssetKind) -> bool:
    """Whether anybody misses it."""
    # A bucket's times of change are those of its own store, whoever writes into it.
    return feature not in _ITS_OWN and not (kind is AssetKind.BUCKET and feature is Feature.TIMESTAMPS)


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureUsage:
    """How many objects of a thing have what: from a manifest's summary, or from a file that says it.

    Args:
        objects: objects or files in all.
        counts: feature to the number of objects that have it; a feature that is missing was not looked at.
        source: where it was counted.
    """

    objects: int | None = None
    counts: Mapping[Feature, int]
    source: str = ""

    def of(self, feature: Feature) -> int | None:
        """Number of objects with a feature; None where they were not counted."""
        return self.counts.get(feature)
