"""The charges of a storage tier: what lies in it, and the requests to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.model import Item
from catalogs.providers import find_traits
from planning.costs.bill import BillGroup, Charge
from planning.platform.backups import MADE_ANEW, PLANS, estimate_backup_gb
from planning.values.money import NOTHING, Range

if TYPE_CHECKING:
    from planning.spec.cluster import ClusterSpec, Tier


OBJECT_ITEMS: Final = frozenset({Item.OBJECT, Item.OBJECT_INFREQUENT, Item.OBJECT_ARCHIVE})


def charge_capacity(tier: Tier) -> Charge:
    """What lies in a tier, as it lies there over the contract."""
    held_gb = Range.exactly(tier.provisioned_gb) + (tier.grown_gb.as_range() if tier.grown_gb else NOTHING)
    label = f"{tier.tier} storage: {tier.engine}"
    return Charge(f"storage/{tier.tier}", label, BillGroup.STORAGE, tier.item, held_gb)


def requests(tier: Tier) -> tuple[Charge, ...]:
    """Requests to an object tier, where the checklist foresees them."""
    kinds = (
        ("writes", "that write or list", Item.OBJECT_PUT, tier.writes_thousands),
        ("reads", "that read", Item.OBJECT_GET, tier.reads_thousands),
    )
    return tuple(
        Charge(
            f"storage/{tier.tier}/{name}",
            f"{tier.tier} storage: requests {words}",
            BillGroup.STORAGE,
            item,
            thousands.as_range(),
        )
        for name, words, item, thousands in kinds
        if thousands is not None
    )


OWNER: Final = "platform"  # what the name of a declaring part begins with, before a slash


def volumes(spec: ClusterSpec) -> dict[str, Charge]:
    """Name of a part to the charge of its volumes; parts without any are left out."""
    if spec.platform is None:
        return {}
    item = Item.SHARED_SSD if find_traits(spec.placement.provider).shared_volumes else Item.DISK
    return {
        part.name: Charge(
            f"platform/{part.name}/volumes",
            f"{part.title}: volumes",
            BillGroup.STORAGE,
            item,
            Range.exactly(part.disk_gb),
        )
        for part in spec.platform.parts
        if part.disk_gb
    }


def list_declared_volumes(spec: ClusterSpec) -> dict[str, tuple[Charge, ...]]:
    """The same by the component that declares them."""
    return {f"{OWNER}/{name}": (charge,) for name, charge in volumes(spec).items()}


BUCKET: Final = "platform/bucket"  # key, and the name of what declares it


def bucket(spec: ClusterSpec) -> tuple[Charge, ...]:
    """What the bucket is foreseen to hold; nothing where there is none."""
    if spec.platform is None or not find_traits(spec.placement.target).bucket:
        return ()
    quantity = estimate_backup_gb(
        PLANS[spec.services.support],
        disk_gb=sum(part.disk_gb for part in spec.platform.parts if part.namespace not in MADE_ANEW),
        logs_gb=spec.logs_gb.as_range() if spec.platform.object_store == "provider" else None,
    )
    return (Charge(BUCKET, "the platform: backups", BillGroup.STORAGE, Item.OBJECT, quantity),)
