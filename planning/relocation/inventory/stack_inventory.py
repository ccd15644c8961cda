"""Every stateful thing of a stack: from its lock, from what its program registers, and from the cluster as it runs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from planning.relocation.inventory.assets import MEASURED, AssetKind, AssetSource, AssetTreatment, Loss
from planning.relocation.inventory.resource_assets import keys_of
from planning.relocation.inventory.volume import TransferVolume, VolumeKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from planning.costs.resources.resource import Resource
    from planning.relocation.inventory.assets import FeatureUsage, StatefulAsset
    from planning.values.money import Range


NOT_ASKED: Final = "the cluster was not asked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """All of it, and what could not be looked at.

    Args:
        things: by key, each once.
        unlooked: what was not asked, and why: "cluster" to "ATOLL_KUBECONFIG is not set".
        strange: registered resources that hold state and that no row of ours knows: a plan says so, never skips them.
    """

    things: tuple[StatefulAsset, ...]
    unlooked: tuple[tuple[str, str], ...] = ()
    strange: tuple[str, ...] = ()

    @property
    def moved(self) -> tuple[StatefulAsset, ...]:
        return tuple(each for each in self.things if each.moved)

    @property
    def left_out(self) -> tuple[StatefulAsset, ...]:
        """What does not, with its reason."""
        return tuple(each for each in self.things if not each.moved)


def with_resources(inventory: Inventory, resources: Iterable[Resource]) -> Inventory:
    """The same, with what the program registers."""
    things = {each.key: each for each in inventory.things}
    strange: list[str] = []
    for resource in resources:
        for new in keys_of(resource):
            if new is None:
                strange.append(f"{resource.type} {resource.name}")
                continue
            there = things.get(new.key, new)
            things[new.key] = replace(there, seen=_also(there.seen, AssetSource.PLAN))
    return replace(
        inventory,
        things=sort_by_priority(things.values()),
        unlooked=tuple(each for each in inventory.unlooked if each[0] != "plan"),
        strange=tuple(sorted({*inventory.strange, *strange})),
    )


def with_cluster(
    inventory: Inventory, found: Iterable[StatefulAsset], *, silence: str = "", instead: Iterable[str] = ()
) -> Inventory:
    """The same, with what a running cluster says of itself.

    Args:
        found: things by the keys of this inventory, or by keys of their own.
        silence: why the cluster did not answer.
        instead: keys of what the lock could only guess at, and what was found stands for.
    """
    rest = tuple(each for each in inventory.unlooked if each[0] != "cluster")
    if silence:
        return replace(inventory, unlooked=(*rest, ("cluster", silence)))
    guesses = frozenset(instead)
    things = {each.key: each for each in inventory.things if each.key not in guesses}
    for new in found:
        there = things.get(new.key)
        things[new.key] = new if there is None else _closer(there, new)
    return replace(inventory, things=sort_by_priority(things.values()), unlooked=rest)


def leave_behind(inventory: Inventory, keys: Iterable[str]) -> Inventory:
    """Mark assets that their owner leaves behind."""
    left = frozenset(keys)
    reason = "left behind by decision of the plan's file"
    return replace(
        inventory,
        things=tuple(
            replace(each, treatment=AssetTreatment.STAYS, reason=reason) if each.key in left and each.moved else each
            for each in inventory.things
        ),
    )


def _closer(there: StatefulAsset, new: StatefulAsset) -> StatefulAsset:
    """What is known of a thing already, with what the cluster adds."""
    return replace(
        there,
        locator=new.locator or there.locator,
        bytes=new.bytes or there.bytes,
        objects=new.objects or there.objects,
        sized_by=new.sized_by if new.bytes else there.sized_by,
        seen=_also(there.seen, AssetSource.CLUSTER),
    )


def _also(seen: tuple[AssetSource, ...], other: AssetSource) -> tuple[AssetSource, ...]:
    return seen if other in seen else (*seen, other)


def sort_by_priority(things: Iterable[StatefulAsset]) -> tuple[StatefulAsset, ...]:
    """What is moved first, and of that what nothing can replace."""
    order = list(AssetTreatment)
    return tuple(sorted(things, key=lambda each: (order.index(each.treatment), list(Loss).index(each.loss), each.key)))


@dataclass(frozen=True, slots=True, kw_only=True)
class AssetMeasurement:
    """One thing as it was counted; None where that was not.

    Args:
        change_bytes_per_day: written a day while it is in use.
        versions: older versions, beside `objects`.
        usage: how many objects have what.
    """

    bytes: Range | None = None
    objects: Range | None = None
    change_bytes_per_day: Range | None = None
    versions: Range | None = None
    tagged: Range | None = None
    usage: FeatureUsage | None = None


SAMPLE: Final = Decimal("0.05")  # operations/relocation/config/endpoints.py: sample_percent
NOTHING_COUNTED: Final = AssetMeasurement()
_KINDS: Final[Mapping[AssetKind, VolumeKind]] = {
    AssetKind.BUCKET: "bucket",
    AssetKind.POSTGRESQL: "database",
    AssetKind.MYSQL: "database",
    AssetKind.FILE_SYSTEM: "files",
    AssetKind.VOLUME: "files",
    AssetKind.REGISTRY: "registry",
}


def with_measured(inventory: Inventory, measured: Mapping[str, AssetMeasurement]) -> Inventory:
    """The same, with bytes and objects that were counted, by key; what was counted needs no other's size."""

    def one(each: StatefulAsset) -> StatefulAsset:
        found = measured.get(each.key)
        if found is None or found.bytes is None:
            return each
        return replace(each, bytes=found.bytes, objects=found.objects, sized_by=MEASURED, counted_with="")

    return replace(inventory, things=tuple(one(each) for each in inventory.things))


def volumes_of(
    inventory: Inventory, measured: Mapping[str, AssetMeasurement], *, sample: Decimal = SAMPLE
) -> tuple[TransferVolume, ...]:
    """What is moved, as money and time see it; things without bytes of their own are no volumes.

    Args:
        sample: share of the bytes of large things that is read again at the target; of all others every byte is.
    """
    return tuple(
        volume_of(each, measured.get(each.key, NOTHING_COUNTED), sample=sample)
        for each in inventory.moved
        if each.kind in _KINDS and not each.counted_with
    )


def volume_of(thing: StatefulAsset, found: AssetMeasurement, *, sample: Decimal = SAMPLE) -> TransferVolume:
    return TransferVolume(
        kind=_KINDS.get(thing.kind, "files"),
        name=thing.key,
        bytes=thing.bytes,
        objects=thing.objects,
        change_bytes_per_day=found.change_bytes_per_day,
        versions=found.versions,
        tagged=found.tagged,
        verified_share=sample if thing.loss is Loss.LARGE else Decimal(1),
    )
