"""What a lock says that there must be: tiers, platform parts, buckets of the store, names, keys and secrets."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from catalogs.providers import find_traits
from planning.checklist.model.vocabulary import HOME
from planning.relocation.inventory.assets import (
    ASKED,
    CLAIMED,
    NOT_LOOKED,
    AssetKind,
    AssetTreatment,
    Loss,
    StatefulAsset,
)
from planning.relocation.inventory.stack_inventory import NOT_ASKED, Inventory, sort_by_priority
from planning.relocation.inventory.state_classes import ASSETS, PARTS, PURPOSES, STORE_USERS, TEAM_BUCKET
from planning.relocation.inventory.volume import GB
from planning.values.addresses import HOSTS, PRIVATE_DOMAIN
from planning.values.money import ZERO, Range

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from decimal import Decimal

    from planning.relocation.inventory.state_classes import BucketRow, StateClass
    from planning.spec.cluster import ClusterSpec, Tier
    from planning.spec.lock import Lock
    from planning.spec.platform import Platform, PlatformComponent

# User of the object store to the part that brings it along; "" for every platform.
USER_PARTS: Final[Mapping[str, str]] = {
    "mlflow": "mlflow",
    "loki": "loki",
    "tempo": "tempo",
    "pipelines": "pipelines",
    "backups": "",
    "airflow": "airflow",
}
OBJECT_TIERS: Final = ("cold", "archive")
ARTIFACTS: Final = "artifacts"  # the cold tier's second bucket (components/context/buckets.py, equal by test)


def from_lock(lock: Lock) -> Inventory:
    """What the lock says that there must be."""
    found = [thing for spec in lock.placements for thing in _tiers(spec)]
    if lock.spec.platform:
        found += _platform(lock.spec, lock.spec.platform)
    found += _list_common_assets(lock.spec)
    return Inventory(
        things=sort_by_priority(found),
        unlooked=(("plan", "the program was not run"), ("cluster", NOT_ASKED)),
    )


def _upto(gb: Decimal | int) -> Range:
    """A size of which only the maximum is known; it is expected to be full."""
    return Range(ZERO, gb * GB, gb * GB)


def _tiers(spec: ClusterSpec) -> Iterator[StatefulAsset]:
    beside = "" if spec.placement.name == HOME else f"{spec.placement.name}/"
    for tier in spec.storage:
        if tier.tier == "hot":
            yield replace(
                ASSETS["scratch/hot"].build_asset(),
                key=f"scratch/{beside}hot",
                title=f"hot tier: {tier.engine}",
                part="hot",
                bytes=_upto(tier.asked_gb),
                sized_by=ASKED,
            )
        elif tier.tier in OBJECT_TIERS:
            main = _build_tier_asset(tier, AssetKind.BUCKET, key=f"bucket/{beside}{tier.tier}", purpose=tier.purpose)
            yield main
            if tier.tier == "cold":
                other = _build_tier_asset(tier, main.kind, key=f"bucket/{beside}cold", purpose=ARTIFACTS)
                counted = "counted with the tier's other bucket"
                yield replace(other, bytes=None, sized_by=counted, counted_with=main.key)
        else:
            key = f"file-system/{beside}{tier.tier}"
            found = _build_tier_asset(tier, AssetKind.FILE_SYSTEM, key=key, purpose=tier.purpose)
            yield replace(found, key=key, title=f"{tier.tier} tier: {tier.engine}")


def _build_tier_asset(tier: Tier, kind: AssetKind, *, key: str, purpose: str) -> StatefulAsset:
    """What a tier keeps for a purpose, as much as was asked for and as it may grow to."""
    known = PURPOSES[purpose]
    return StatefulAsset(
        key=f"{key}-{purpose}",
        title=f"{tier.tier} tier: {purpose}",
        kind=kind,
        loss=known.loss,
        treatment=AssetTreatment.MOVED,
        reason=known.reason,
        part=tier.tier,
        bytes=_upto(tier.asked_gb + (tier.grown_gb.max if tier.grown_gb else 0)),
        sized_by=ASKED,
    )


def _platform(spec: ClusterSpec, platform: Platform) -> Iterator[StatefulAsset]:
    for part in platform.parts:
        for kept in PARTS[part.name].keeps if part.name in PARTS else ():
            yield _build_asset(part, kept)
        if part.name not in PARTS:
            yield _unknown(part)
    users = [user for user, part in USER_PARTS.items() if not part or platform.part(part)]
    if platform.part("object_store"):
        for user in users:
            yield _user_bucket(user, STORE_USERS[user], platform)
        for team in platform.teams:
            yield _user_bucket(f"team-{team.name}", TEAM_BUCKET, platform)
    if platform.mirror:
        yield ASSETS["registry/mirror"].build_asset(locator=platform.mirror)
    yield _build_names(spec, platform)


def _build_asset(part: PlatformComponent, kept: StateClass) -> StatefulAsset:
    size = _upto(part.disk_gb) if kept.disk and part.disk_gb else None
    return replace(kept.build_asset(), part=part.name, bytes=size, sized_by=CLAIMED if size else NOT_LOOKED)


def _unknown(part: PlatformComponent) -> StatefulAsset:
    return StatefulAsset(
        key=f"volumes/{part.name}",
        title=f"whatever {part.title} keeps",
        kind=AssetKind.VOLUME,
        loss=Loss.IRREPLACEABLE,
        treatment=AssetTreatment.MOVED,
        reason="this version of Atoll does not know the component, which may keep data",
        part=part.name,
        locator=part.namespace,
        bytes=_upto(part.disk_gb) if part.disk_gb else None,
    )


def _user_bucket(user: str, row: BucketRow, platform: Platform) -> StatefulAsset:
    inside = platform.object_store != "provider"
    return StatefulAsset(
        key=f"store/{user}",
        title=f"{row.title}: {user.removeprefix('team-')}" if row is TEAM_BUCKET else row.title,
        kind=AssetKind.BUCKET,
        loss=row.loss,
        treatment=row.treatment,
        reason=row.reason,
        part="object_store",
        locator=user if inside else f"platform bucket, {user}/",
    )


def _build_names(spec: ClusterSpec, platform: Platform) -> StatefulAsset:
    domain = spec.network.domain or PRIVATE_DOMAIN
    hosts = [host for part, host in HOSTS.items() if platform.part(part)]
    return ASSETS["names/services"].build_asset(locator=" ".join(f"{host}.{domain}" for host in sorted(hosts)))


def _list_common_assets(spec: ClusterSpec) -> Iterator[StatefulAsset]:
    """What every stack has, however small its platform."""
    for key in ("objects/people", "secrets/people", "secrets/platform"):
        yield ASSETS[key].build_asset()
    if find_traits(spec.placement.target).encryption_keys == "customer":
        yield ASSETS["key/data"].build_asset()
