"""The charge of the platform's own bucket at the provider: backups, and logs where no store in the cluster has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.model import Item
from catalogs.object_stores import WITH_BUCKET
from planning.costs.bill import Group
from planning.costs.charge import Charge
from planning.platform.backups import MADE_ANEW, PLANS, held_gb

if TYPE_CHECKING:
    from planning.spec.cluster import ClusterSpec

BUCKET: Final = "platform/bucket"  # key, and the name of what declares it


def bucket(spec: ClusterSpec) -> tuple[Charge, ...]:
    """What the bucket is foreseen to hold; nothing where there is none."""
    if spec.platform is None or spec.placement.target not in WITH_BUCKET:
        return ()
    quantity = held_gb(
        PLANS[spec.services.support],
        disk_gb=sum(part.disk_gb for part in spec.platform.parts if part.namespace not in MADE_ANEW),
        logs_gb=spec.logs_gb.as_range() if spec.platform.object_store == "provider" else None,
    )
    label = "the platform: backups"
    return (Charge(key=BUCKET, label=label, group=Group.STORAGE, item=Item.OBJECT, quantity=quantity),)
