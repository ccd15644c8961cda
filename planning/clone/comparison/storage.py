"""Storage and platform of a source and its clone: engines, sizes, who needs keys, what only one side installs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.object_stores import S3_BY_IDENTITY, unreachable
from planning.clone.comparison.difference import NONE, Difference, Said, amount, differing, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from catalogs.catalog import Catalog
    from catalogs.model import StorageTier
    from planning.spec.cluster import ClusterSpec, Tier
    from planning.spec.platform import Platform

STORES: Final = "catalogs/object_stores.py, docs.cloud.google.com/storage/docs/interoperability"


def storage_differences(old: ClusterSpec, new: ClusterSpec, *, catalog: Catalog) -> Iterator[Difference]:
    """Every tier of either side, and how its objects are reached."""
    place = new.placement.name
    before, after = ({tier.tier: tier for tier in spec.storage} for spec in (old, new))
    for name in dict.fromkeys((*before, *after)):
        rows = (_row(old, name, catalog), _row(new, name, catalog))
        facts = _tier(before.get(name), after.get(name), rows)
        yield from differing(facts, placement=place, topic=f"storage {name}")
    yield from differing(_objects(old, new), placement=place, topic="storage")


def _row(spec: ClusterSpec, tier: str, catalog: Catalog) -> StorageTier | None:
    return catalog.tiers.get((spec.placement.provider, tier))


def _tier(old: Tier | None, new: Tier | None, rows: tuple[StorageTier | None, StorageTier | None]) -> Iterator[Said]:
    named = dict.fromkeys(each.source for each in rows if each)
    source = f"catalogs/tiers.csv ({', '.join(named)})" if named else "the two locks; no catalog row"
    yield Said(
        what="engine",
        old=old.engine if old else NONE,
        new=new.engine if new else NONE,
        source=source,
        note="; ".join(each.note for each in rows[1:] if each and each.note),
    )
    yield Said(
        what="provisioned",
        old=amount(old.provisioned_gb if old else 0, "GB"),
        new=amount(new.provisioned_gb if new else 0, "GB"),
        source=source,
        note=_step(rows[1]),
    )


def _step(row: StorageTier | None) -> str:
    """Why the target has another size of the same demand."""
    if row is None or not row.minimum_gb:
        return ""
    return f"sold from {row.minimum_gb:,} GB in steps of {row.step_gb:,} GB"


def _objects(old: ClusterSpec, new: ClusterSpec) -> Iterator[Said]:
    yield Said(
        what="provider's buckets over S3",
        old=_by_identity(old),
        new=_by_identity(new),
        source=STORES,
        note="parts that speak S3 only need keys, or a store in the cluster"
        if _by_identity(new) == "with keys"
        else "",
    )


def _by_identity(spec: ClusterSpec) -> str:
    if spec.placement.target == "existing":
        return "the customer's own"
    return "by the pods' identity" if spec.placement.provider in S3_BY_IDENTITY else "with keys"


def platform_differences(old: ClusterSpec, new: ClusterSpec) -> Iterator[Difference]:
    """Parts that one side has and the other has not, and parts of another version."""
    before, after = old.platform, new.platform
    if before is None or after is None:
        return
    place = new.placement.name
    names = dict.fromkeys(each.name for side in (before, after) for each in (*side.parts, *side.skipped))
    for name in names:
        said = Said(
            what=_title(name, before, after),
            old=_installed(name, before),
            new=_installed(name, after),
            note=unreachable(name, store=after.object_store, provider=new.placement.provider),
        )
        yield from differing([said], placement=place, topic="platform")
    yield from differing(_settings(before, after), placement=place, topic="platform")


def _title(name: str, *sides: Platform) -> str:
    every = (each for side in sides for each in (*side.parts, *side.skipped))
    return next((each.title for each in every if each.name == name), name)


def _installed(name: str, side: Platform) -> str:
    part = side.part(name)
    if part is not None:
        return part.version or part.ref or "installed"
    reason = next((each.reason for each in side.skipped if each.name == name), "")
    return f"not installed: {reason}" if reason else "not installed"


def _settings(old: Platform, new: Platform) -> Iterator[Said]:
    yield Said(what="release", old=old.release, new=new.release)
    yield Said(what="size", old=old.size, new=new.size)
    yield Said(what="object store of the platform", old=words(old.object_store), new=words(new.object_store))
    yield Said(what="sharing of accelerators", old=words(old.sharing), new=words(new.sharing))
    yield Said(what="logs and metrics go to", old=_forwarded(old), new=_forwarded(new))


def _forwarded(side: Platform) -> str:
    return f"{side.forwarding.provider} {side.forwarding.region}" if side.forwarding else NONE
