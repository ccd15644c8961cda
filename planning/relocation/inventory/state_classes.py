"""What each platform part, bucket and tier keeps, and what its loss would mean: catalogs/stateful_assets.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

from planning.inputs.fact_tables import read_table
from planning.relocation.inventory.assets import AssetKind, AssetSource, AssetTreatment, Loss, StatefulAsset

_CLOSED: Final = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class LossClass:
    """What losing something would mean, and why."""

    loss: Loss
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class BucketRow(LossClass):
    """What a bucket of a user of the object store holds."""

    title: str
    treatment: AssetTreatment = AssetTreatment.MOVED


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class StateClass(BucketRow):
    """One thing that a part, or every stack, keeps.

    Args:
        key: as in `StatefulAsset.key`.
        locator: namespace/name at the source.
        disk: whether the volumes that the lock foresees for the part are where it lies.
    """

    key: str
    kind: AssetKind
    locator: str = ""
    disk: bool = False

    def build_asset(self, *, locator: str = "", seen: AssetSource = AssetSource.LOCK) -> StatefulAsset:
        return StatefulAsset(
            key=self.key,
            title=self.title,
            kind=self.kind,
            loss=self.loss,
            treatment=self.treatment,
            reason=self.reason,
            locator=locator or self.locator,
            seen=(seen,),
        )


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class PartRow:
    """What a platform part keeps.

    Args:
        reason: why there is nothing of it to move, where it keeps nothing.
    """

    reason: str = ""
    keeps: tuple[StateClass, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class _StateTable:
    parts: Mapping[str, PartRow]
    store_users: Mapping[str, BucketRow]
    team_bucket: BucketRow
    purposes: Mapping[str, LossClass]
    assets: tuple[StateClass, ...]


_TABLE: Final = read_table("stateful_assets.yaml", _StateTable)
PARTS: Final = _TABLE.parts  # name in catalogs/software/parts.csv to what it keeps
STORE_USERS: Final = _TABLE.store_users  # user of the object store to what its bucket holds
TEAM_BUCKET: Final = _TABLE.team_bucket
PURPOSES: Final = _TABLE.purposes  # what a tier is for, to its class
ASSETS: Final[Mapping[str, StateClass]] = {each.key: each for each in _TABLE.assets}  # what stacks have beside parts
