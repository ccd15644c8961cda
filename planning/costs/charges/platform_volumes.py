"""Charges of the platform's own volumes: each part declares the disks that its chart or its manifests claim."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.model import Item
from planning.costs.bill import Group
from planning.costs.charge import Charge
from planning.values.money import Range

if TYPE_CHECKING:
    from planning.spec.cluster import ClusterSpec

OWNER: Final = "platform"  # what the name of a declaring part begins with, before a slash
# Providers without network disks in their price list: what a claim gets there lies on the shared file system
# (Lambda and CoreWeave documentation, read for catalogs/tiers.csv).
SHARED_ONLY: Final = frozenset({"coreweave", "lambda"})


def volumes(spec: ClusterSpec) -> dict[str, Charge]:
    """Name of a part to the charge of its volumes; parts without any are left out."""
    if spec.platform is None:
        return {}
    item = Item.SHARED_SSD if spec.placement.provider in SHARED_ONLY else Item.DISK
    return {
        part.name: Charge(
            key=f"platform/{part.name}/volumes",
            label=f"{part.title}: volumes",
            group=Group.STORAGE,
            item=item,
            quantity=Range.exactly(part.disk_gb),
        )
        for part in spec.platform.parts
        if part.disk_gb
    }


def declared_volumes(spec: ClusterSpec) -> dict[str, tuple[Charge, ...]]:
    """The same by the component that declares them."""
    return {f"{OWNER}/{name}": (charge,) for name, charge in volumes(spec).items()}
