"""What somebody counted at the source, beside what a lock foresees: sizes, how fast they change, what is used."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from planning.relocation.inventory.assets import MEASURED, Kind, Loss
from planning.relocation.inventory.volume import Volume, VolumeKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planning.relocation.inventory.assets import Thing
    from planning.relocation.inventory.features import Usage
    from planning.relocation.inventory.stack_inventory import Inventory
    from planning.values.money import Range


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
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
    usage: Usage | None = None


SAMPLE: Final = Decimal("0.05")  # operations/relocation/config/endpoints.py: sample_percent
NOTHING_COUNTED: Final = Measured()
_KINDS: Final[Mapping[Kind, VolumeKind]] = {
    Kind.BUCKET: "bucket",
    Kind.POSTGRESQL: "database",
    Kind.MYSQL: "database",
    Kind.FILE_SYSTEM: "files",
    Kind.VOLUME: "files",
    Kind.REGISTRY: "registry",
}


def with_measured(inventory: Inventory, measured: Mapping[str, Measured]) -> Inventory:
    """The same, with bytes and objects that were counted, by key; what was counted needs no other's size."""

    def one(each: Thing) -> Thing:
        found = measured.get(each.key)
        if found is None or found.bytes is None:
            return each
        return replace(each, bytes=found.bytes, objects=found.objects, sized_by=MEASURED, counted_with="")

    return replace(inventory, things=tuple(one(each) for each in inventory.things))


def volumes_of(
    inventory: Inventory, measured: Mapping[str, Measured], *, sample: Decimal = SAMPLE
) -> tuple[Volume, ...]:
    """What is moved, as money and time see it; things without bytes of their own are no volumes.

    Args:
        sample: share of the bytes of large things that is read again at the target; of all others every byte is.
    """
    return tuple(
        volume_of(each, measured.get(each.key, NOTHING_COUNTED), sample=sample)
        for each in inventory.moved
        if each.kind in _KINDS and not each.counted_with
    )


def volume_of(thing: Thing, found: Measured, *, sample: Decimal = SAMPLE) -> Volume:
    """One thing as a volume."""
    return Volume(
        kind=_KINDS.get(thing.kind, "files"),
        name=thing.key,
        bytes=thing.bytes,
        objects=thing.objects,
        change_bytes_per_day=found.change_bytes_per_day,
        versions=found.versions,
        tagged=found.tagged,
        verified_share=sample if thing.loss is Loss.LARGE else Decimal(1),
    )
