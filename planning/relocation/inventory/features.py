"""What data may have beside its bytes, and how much of it the source really uses."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from planning.relocation.inventory.assets import AssetKind

if TYPE_CHECKING:
    from collections.abc import Mapping


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
    """Whether anybody misses it; a bucket's times of change are those of its own store, whoever writes into it."""
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
        """How many objects have it; None where nobody looked."""
        return self.counts.get(feature)
