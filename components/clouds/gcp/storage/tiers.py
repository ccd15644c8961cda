"""The storage tiers of a cluster on Google Cloud; the hot one is the nodes' own disks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_gcp as gcp

from components.clouds.gcp.account.names import FILESTORE, LUSTRE
from components.clouds.gcp.storage.buckets import BucketAccess, BucketAccessArgs, ObjectTier, ObjectTierArgs
from components.clouds.gcp.storage.file_systems import SharedFileSystem, SharedFileSystemArgs
from components.context.names import workloads

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.clouds.gcp.cluster.context import ClusterContext
    from components.clouds.gcp.cluster.control_plane import Cluster

OBJECTS: Final = frozenset({"object", "object_infrequent", "object_archive"})


def objects(ground: ClusterContext, *, cluster: Cluster) -> Mapping[str, pulumi.Output[str]]:
    site, spec = ground.site, ground.site.spec
    made = [
        ObjectTier(
            f"tier-{tier.tier}",
            ObjectTierArgs(
                placement=spec.placement,
                tier=tier,
                key_id=ground.key.id,
                labels=ground.labels,
                charges=site.ledger.claim(f"bucket/{tier.tier}"),
            ),
            opts=site.options(provider=ground.gcp, depends_on=ground.key.granted),
        )
        for tier in spec.storage
        if tier.item in OBJECTS
    ]
    buckets = {purpose: bucket for tier in made for purpose, bucket in tier.buckets.items()}
    if buckets:
        access = BucketAccessArgs(
            number=ground.number,
            workload_pool=cluster.workload_pool,
            workloads=workloads(spec),
            buckets=buckets,
        )
        # The pool of identities is there once the first cluster of the project is.
        BucketAccess("bucket-access", access, opts=site.options(provider=ground.gcp, depends_on=[cluster.resource]))
    return buckets


def register_file_systems(ground: ClusterContext) -> tuple[SharedFileSystem, ...]:
    site, spec, network = ground.site, ground.site.spec, ground.network
    waits = [*ground.key.granted, *([network.managed] if network.managed is not None else [])]
    return tuple(
        SharedFileSystem(
            f"tier-{tier.tier}",
            SharedFileSystemArgs(
                placement=spec.placement,
                tier=tier,
                zone=_zone(ground),
                network_id=network.id,
                managed_range=network.managed_range,
                key_id=ground.key.id,
                labels=ground.labels,
            ),
            opts=site.options(provider=ground.gcp, depends_on=waits),
        )
        for tier in spec.storage
        if tier.item in {LUSTRE, FILESTORE}
    )


def _zone(ground: ClusterContext) -> pulumi.Input[str]:
    """The zone of the first pool that is bound to one, since data should lie where it is read; else any."""
    bound = [zone for zone in ground.zones.values() if zone is not None]
    if bound:
        return bound[0]
    region = ground.site.placement.region
    found = gcp.compute.get_zones_output(region=region, opts=pulumi.InvokeOutputOptions(provider=ground.gcp))
    return found.names.apply(lambda names: names[0])
