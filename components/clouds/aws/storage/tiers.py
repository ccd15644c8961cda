"""The storage tiers of a cluster on AWS: buckets, the parallel file system linked to one of them, the plain one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from components.clouds.aws.storage.buckets import BucketAccess, BucketAccessArgs, ObjectTier, ObjectTierArgs
from components.clouds.aws.storage.file_systems import (
    SharedDisk,
    SharedDiskArgs,
    SharedFileSystem,
    SharedFileSystemArgs,
)
from components.context.names import workloads

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pulumi

    from components.clouds.aws.cluster.context import ClusterContext
    from planning.spec.cluster import Tier

OBJECTS: Final = frozenset({"object", "object_infrequent", "object_archive"})
SHARED: Final = "shared_ssd"
DISK: Final = "shared_disk"
COLD: Final = "cold"


@dataclass(frozen=True, kw_only=True)
class Tiers:
    """What the tiers became. The hot tier is the nodes' own NVMe.

    Args:
        buckets: names by purpose.
        shared: the parallel file system with its size in GiB, None for none.
        disk: the plain one, None for none.
    """

    buckets: Mapping[str, pulumi.Output[str]]
    shared: tuple[SharedFileSystem, int] | None
    disk: SharedDisk | None

    @property
    def outputs(self) -> dict[str, pulumi.Input[object]]:
        mounts = [self.shared[0]] if self.shared is not None else []
        said: dict[str, pulumi.Input[object]] = {"buckets": dict(self.buckets)}
        if mounts:
            said["sharedFileSystems"] = [{"host": each.dns_name, "mount": each.mount_name} for each in mounts]
        return said


def tiers(ground: ClusterContext) -> Tiers:
    """Registers every tier that lies outside the nodes."""
    objects = {tier.tier: _objects(tier, ground) for tier in ground.spec.storage if tier.item in OBJECTS}
    _access(list(objects.values()), ground)
    cold = objects.get(COLD)
    shared = next((tier for tier in ground.spec.storage if tier.item == SHARED), None)
    disk = next((tier for tier in ground.spec.storage if tier.item == DISK), None)
    return Tiers(
        buckets={purpose: bucket for tier in objects.values() for purpose, bucket in tier.buckets.items()},
        shared=None if shared is None else (_register_file_system(shared, cold, ground), shared.provisioned_gb),
        disk=None if disk is None else _disk(disk, ground),
    )


def _objects(tier: Tier, ground: ClusterContext) -> ObjectTier:
    args = ObjectTierArgs(
        placement=ground.spec.placement,
        tier=tier,
        key_arn=ground.key.arn,
        charges=ground.site.ledger.claim(f"bucket/{tier.tier}"),
    )
    return ObjectTier(f"tier-{tier.tier}", args, opts=ground.options())


def _access(objects: Sequence[ObjectTier], ground: ClusterContext) -> None:
    if not objects:
        return
    access = BucketAccessArgs(
        region=ground.spec.placement.region,
        cluster_name=ground.cluster.resource.name,
        workloads=workloads(ground.spec),
        bucket_arns=[arn for tier in objects for arn in tier.arns],
        key_arn=ground.key.arn,
    )
    BucketAccess("bucket-access", access, opts=ground.options())


def _register_file_system(tier: Tier, cold: ObjectTier | None, ground: ClusterContext) -> SharedFileSystem:
    network = ground.network
    args = SharedFileSystemArgs(
        placement=ground.spec.placement,
        tier=tier,
        cidr=ground.spec.network.cidr,
        vpc_id=network.vpc_id,
        subnet_id=network.private_subnets[0],
        client_group=ground.cluster.security_group,
        key_arn=ground.key.arn,
        bucket=None if cold is None else cold.data,
    )
    return SharedFileSystem(f"tier-{tier.tier}", args, opts=ground.options())


def _disk(tier: Tier, ground: ClusterContext) -> SharedDisk:
    args = SharedDiskArgs(
        placement=ground.spec.placement,
        tier=tier,
        cidr=ground.spec.network.cidr,
        vpc_id=ground.network.vpc_id,
        subnet_ids=ground.network.private_subnets,
        key_arn=ground.key.arn,
        charges=ground.site.ledger.claim(f"disk/{tier.tier}"),
    )
    return SharedDisk(f"tier-{tier.tier}", args, opts=ground.options())
