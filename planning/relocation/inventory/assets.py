"""What a relocation is about: each stateful thing of a stack, what its loss would mean, and what becomes of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
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
    """One stateful thing of the source.

    Args:
        key: unique in an inventory and the same in every plan: "bucket/cold-data", "database/mlflow".
        reason: why it is of its class, and why it is treated as it is.
        part: platform part, tier or team that it belongs to.
        locator: how its owner finds it at the source: a bucket, namespace/name.
        bytes: None where nobody has looked.
        objects: objects, files or rows; None likewise.
        sized_by: where the size is from.
        counted_with: key of the thing in whose size this one is counted; "" for its own.
        seen: where it was found.
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
