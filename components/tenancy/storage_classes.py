"""Storage classes that are the same on every cloud."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi
import pulumi_kubernetes as kubernetes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planning.spec.cluster import Tier


def storage_classes(tiers: Sequence[Tier], *, parent: pulumi.Resource) -> None:
    """`atoll-hot` for the nodes' own disks; classes of a cloud's disks and file systems are made beside its cluster."""
    if any(tier.tier == "hot" for tier in tiers):
        _hot(parent=parent)


def _hot(*, parent: pulumi.Resource) -> None:
    """Nothing provisions it: volumes appear where a node's local disks are published."""
    kubernetes.storage.v1.StorageClass(
        "atoll-hot",
        metadata={"name": "atoll-hot"},
        provisioner="kubernetes.io/no-provisioner",
        volume_binding_mode="WaitForFirstConsumer",
        reclaim_policy="Delete",
        opts=pulumi.ResourceOptions(parent=parent),
    )
