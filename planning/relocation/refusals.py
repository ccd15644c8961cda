"""Why a relocation cannot be planned: every reason at once, each with what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.providers import regions
from planning.relocation.inventory.assets import AssetTreatment
from planning.relocation.inventory.state_classes import PARTS
from planning.relocation.inventory.volume import GB
from planning.values.errors import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from ipaddress import IPv4Network

    from planning.relocation.inventory.assets import StatefulAsset
    from planning.relocation.inventory.stack_inventory import Inventory
    from planning.spec.cluster import ClusterSpec, Tier
    from planning.spec.lock import Lock

ANYWHERE: Final = "any"
VPN: Final = "VPN"
# Parts beside Pipelines whose equality its metadata store hangs on: MLMD is being removed behind a gate at start
# (kubeflow/pipelines#14029), so that an older database must meet the same server first.
WHY_EQUAL: Final[Mapping[str, str]] = {
    "pipelines": "its metadata store (MLMD) changes between versions, and the new server may refuse the old database",
}
_EQUAL: Final = "its database is restored as it is, and only the same version is known to read it"


def refusals(source: Lock, target: Lock, inventory: Inventory) -> tuple[Fault, ...]:
    """Every reason; none where the relocation can be planned."""
    file = f"{source.stack} to {target.stack}"
    found = (
        *_places(source, target),
        *_networks(source.spec, target.spec),
        *_versions(source, target),
        *_sizes(source, target, inventory),
        *_residency(source, target),
    )
    return tuple(Fault(message=message, file=file, hint=hint) for message, hint in found)


def _places(source: Lock, target: Lock) -> Iterator[tuple[str, str]]:
    if source.stack == target.stack:
        yield "source and target are the same stack", "atoll clone makes a stack at another place"
        return
    old, new = source.spec.placement, target.spec.placement
    if (old.provider, old.region) == (new.provider, new.region):
        yield (
            f"both stacks are at {old.provider} {old.region}: nothing would move",
            f"atoll clone {source.stack} NEW --region R",
        )
    if len(source.placements) > len(target.placements):
        yield (
            f"the source has {len(source.placements)} clusters and the target {len(target.placements)}",
            "relocate additional placements by a plan of their own, or accept an option with as many clusters",
        )


def _networks(source: ClusterSpec, target: ClusterSpec) -> Iterator[tuple[str, str]]:
    """Both clusters run side by side, in reach of each other and of one main network: no address twice."""
    for ours, old in _ranges(source):
        for theirs, new in _ranges(target):
            # The ranges of people's devices may be equal: a device is in one tunnel at a time.
            if old.overlaps(new) and (ours, theirs) != (VPN, VPN):
                yield (
                    f"the source's {ours} {old} overlaps the target's {theirs} {new}",
                    "where.cidr in the target's checklist, then atoll accept",
                )


def _ranges(spec: ClusterSpec) -> Iterator[tuple[str, IPv4Network]]:
    yield "network", spec.network.cidr
    if spec.vpn:
        yield VPN, spec.vpn.cidr


def _versions(source: Lock, target: Lock) -> Iterator[tuple[str, str]]:
    """Parts that keep something: there at both, at one version."""
    if source.spec.platform is None:
        return
    for part in source.spec.platform.parts:
        row = PARTS.get(part.name)
        keeps = [kept for kept in row.keeps if kept.treatment is AssetTreatment.MOVED] if row else []
        if not keeps:
            continue
        there = target.spec.platform.part(part.name) if target.spec.platform else None
        if there is None:
            yield (
                f"the target does not install {part.title}, where the source has: {keeps[0].title}",
                "accept an option with it, or leave it out of the source before",
            )
        elif there.version != part.version:
            why = WHY_EQUAL.get(part.name, _EQUAL)
            yield (
                f"{part.title} is {part.version} at the source and {there.version} at the target: {why}",
                "bring both to one version first: accept again and update the older one",
            )


def _sizes(source: Lock, target: Lock, inventory: Inventory) -> Iterator[tuple[str, str]]:
    """Target too small: tiers, and disks of the parts."""
    there = {(index, tier.tier): tier for index, spec in enumerate(target.placements) for tier in spec.storage}
    for index, spec in enumerate(source.placements):
        for tier in spec.storage:
            things = _of_tier(inventory, spec.placement.name, tier.tier, home=index == 0)
            if things:
                yield from _tier(tier, there.get((index, tier.tier)), things)
    yield from _disks(target, inventory)


def _of_tier(inventory: Inventory, placement: str, tier: str, *, home: bool) -> list[StatefulAsset]:
    inside = f"/{placement}/"
    return [each for each in inventory.moved if each.part == tier and home == (inside not in each.key)]


def _tier(old: Tier, new: Tier | None, things: list[StatefulAsset]) -> Iterator[tuple[str, str]]:
    needed = sum(((each.bytes.expected if each.bytes else 0) for each in things), start=GB * 0) / GB
    if new is None:
        yield f"the target has no {old.tier} tier, and the source keeps {needed:,.0f} GB there", _HINT
    elif new.asked_gb < needed and not _is_unbounded(new):
        yield (
            f"target too small: its {old.tier} tier holds {new.asked_gb:,.0f} GB, and {needed:,.0f} GB would come",
            _HINT,
        )


_HINT: Final = "storage in the target's checklist, then atoll accept"


def _is_unbounded(tier: Tier) -> bool:
    """Buckets take what comes; only file systems are full one day."""
    return tier.item.startswith("object")


def _disks(target: Lock, inventory: Inventory) -> Iterator[tuple[str, str]]:
    platform = target.spec.platform
    if platform is None:
        return
    for thing in inventory.moved:
        part = platform.part(thing.part) if thing.part else None
        if part is None or not part.disk_gb or thing.bytes is None or not thing.key.startswith("database/"):
            continue
        needed = thing.bytes.expected / GB
        if needed > part.disk_gb:
            yield (
                f"target too small: {part.title} has {part.disk_gb} GB of disks, and {needed:,.0f} GB would come",
                _HINT,
            )
    stored = sum((each.bytes.expected for each in inventory.moved if each.bytes and each.key.startswith("store/")), 0)
    engine = platform.part(platform.object_store)
    if engine is not None and stored / GB > engine.disk_gb:
        held = f"the drives of {engine.title} hold {engine.disk_gb} GB"
        yield f"target too small: {held}, and {stored / GB:,.0f} GB would come", "platform in the target's checklist"


def _residency(source: Lock, target: Lock) -> Iterator[tuple[str, str]]:
    if source.residency == ANYWHERE:
        return
    known = {(each.provider, each.name): each for each in regions()}
    for spec in target.placements:
        place = spec.placement
        region = known.get((place.provider, place.region))
        lies = region.residency if region else "unknown"
        if lies != source.residency:
            said = f"is in {lies}" if lies != "unknown" else "is in an unknown area"
            where = f"{place.provider} {place.region} {said}"
            yield (
                f"data of {source.stack} may lie in {source.residency} only, and {where}",
                "choose a region there, or change where.residency of the source with whoever set it",
            )
