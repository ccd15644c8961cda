"""Storage classes: only those whose provisioner is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pulumi
import pulumi_kubernetes as kubernetes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planning.spec import Tier


@dataclass(frozen=True, kw_only=True)
class ClassesArgs:
    """Tiers of the lock, and the key for pods' disks where EBS provisions them."""

    tiers: Sequence[Tier]
    disk_key_arn: pulumi.Input[str] | None


def storage_classes(args: ClassesArgs, *, parent: pulumi.Resource) -> None:
    """`atoll-hot` for disks that nodes offer, `atoll-disk` for network disks; shared tiers are mounted by name."""
    if any(tier.tier == "hot" for tier in args.tiers):
        _hot(parent=parent)
    if args.disk_key_arn is not None:
        _disk(args.disk_key_arn, parent=parent)


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


def _disk(key_arn: pulumi.Input[str], *, parent: pulumi.Resource) -> None:
    kubernetes.storage.v1.StorageClass(
        "atoll-disk",
        metadata={"name": "atoll-disk", "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}},
        provisioner="ebs.csi.aws.com",
        parameters={"type": "gp3", "encrypted": "true", "kmsKeyId": key_arn},
        volume_binding_mode="WaitForFirstConsumer",
        allow_volume_expansion=True,
        reclaim_policy="Retain",
        opts=pulumi.ResourceOptions(parent=parent),
    )
