"""A whole cluster on CoreWeave, part by part; what lives inside it waits for its nodes, destroy runs backwards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pulumi_coreweave as coreweave
import pulumi_kubernetes as kubernetes

from components.clouds.coreweave.cluster.control_plane import Cluster, ClusterArgs
from components.clouds.coreweave.cluster.settings import CoreWeaveSettings, read
from components.clouds.coreweave.network.vpc import Vpc, VpcArgs
from components.clouds.coreweave.nodepools.nodepool import NodePool, NodePoolArgs
from components.clouds.coreweave.storage.buckets import (
    ENDPOINT,
    BucketAccess,
    BucketAccessArgs,
    ObjectTier,
    ObjectTierArgs,
)
from components.clouds.coreweave.storage.file_systems import SharedFileSystem, SharedFileSystemArgs
from components.clouds.coreweave.storage.platform_bucket import (
    PlatformAccess,
    PlatformAccessArgs,
    PlatformStorage,
    PlatformStorageArgs,
)
from components.context.buckets import OWNER
from components.context.names import workloads
from components.context.placement import (
    BuiltCluster,
    ClusterHandle,
    Identity,
    Ingress,
    Names,
    PlatformBucket,
    ProviderObjectStore,
    StorageClasses,
)
from components.platform.building_blocks.object_store_access import bucket_users

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pulumi

    from components.context.placement import PlacementContext

OBJECTS: Final = frozenset({"object", "object_infrequent", "object_archive"})
SHARED: Final = "shared_ssd"
BALANCER_TYPE: Final = "service.beta.kubernetes.io/coreweave-load-balancer-type"  # docs: Expose a Service


@dataclass(frozen=True, kw_only=True)
class ClusterContext:
    """What every part stands on."""

    site: PlacementContext
    settings: CoreWeaveSettings
    provider: coreweave.Provider
    cluster: Cluster


def build(site: PlacementContext) -> BuiltCluster:
    """Registers the cluster of a CoreWeave placement.

    Its node pools and file systems are objects inside it: with `atoll:reach` at "cloud" they wait for a second update.

    Raises:
        AtollError: the lock or the stack's settings cannot be built.
    """
    ground = _ground(site)
    inside = kubernetes.Provider("cluster", kubeconfig=ground.cluster.kubeconfig, opts=site.options())
    pools = _pools(ground, inside=inside) if site.settings.inside else ()
    files = _register_file_systems(ground, inside=inside) if site.settings.inside else ()
    buckets = _objects(ground)
    handle = ClusterHandle(
        placement=site.placement,
        profile=site.spec.profile,
        provider=inside,
        ready=(*pools, *files),
        classes=StorageClasses(disk=site.spec.profile.disk_class, shared=site.spec.profile.shared_class),
        objects=ProviderObjectStore(endpoint=ENDPOINT, scheme="s3", buckets=buckets),
        identity=Identity(kind="federation"),
        ingress=Ingress(public={BALANCER_TYPE: "public"}),
        names=Names(domain=site.spec.network.domain),
        kubeconfigs={"admin": ground.cluster.kubeconfig},
        bucket=_platform(ground),
    )
    outputs: dict[str, pulumi.Input[object]] = {
        "clusterName": ground.cluster.name,
        "kubeconfig": ground.cluster.kubeconfig,
        "issuer": ground.cluster.issuer,
        **({"openIdServer": ground.cluster.open_id_server} if ground.settings.issuer else {}),
        "buckets": buckets,
    }
    return BuiltCluster(handle=handle, outputs=outputs)


def _ground(site: PlacementContext) -> ClusterContext:
    """Network and control plane. The provider reads its token from the environment, so the state never has it."""
    spec, settings = site.spec, read(site)
    provider = coreweave.Provider("coreweave", opts=site.options())
    on_coreweave = site.options(provider=provider)
    within = VpcArgs(
        placement=spec.placement, network=spec.network, zone=settings.zone, charges=site.ledger.claim("network")
    )
    network = Vpc("network", within, opts=on_coreweave)
    cluster = Cluster(
        "cluster",
        ClusterArgs(
            placement=spec.placement,
            kubernetes_version=spec.kubernetes_version,
            zone=settings.zone,
            vpc_id=network.vpc_id,
            public_api=settings.public_api,
            issuer=settings.issuer,
            client=settings.client,
            charges=site.ledger.claim("cluster"),
        ),
        opts=site.options(provider=provider, depends_on=[network]),
    )
    return ClusterContext(site=site, settings=settings, provider=provider, cluster=cluster)


def _pools(ground: ClusterContext, *, inside: kubernetes.Provider) -> tuple[NodePool, ...]:
    site = ground.site
    return tuple(
        NodePool(
            f"pool-{pool.name}",
            NodePoolArgs(placement=site.placement, pool=pool, cpu_machine=ground.settings.cpu_machine),
            opts=site.options(provider=inside, depends_on=[ground.cluster]),
        )
        for pool in site.spec.pools
    )


def _objects(ground: ClusterContext) -> Mapping[str, pulumi.Output[str]]:
    """Buckets by purpose, and the right of workloads to use them. The hot tier is the nodes' own NVMe."""
    site, spec = ground.site, ground.site.spec
    tiers = [
        ObjectTier(
            f"tier-{tier.tier}",
            ObjectTierArgs(
                spec=spec,
                tier=tier,
                zone=ground.settings.zone,
                charges=site.ledger.claim(f"bucket/{tier.tier}"),
            ),
            opts=site.options(provider=ground.provider),
        )
        for tier in spec.storage
        if tier.item in OBJECTS
    ]
    buckets = {purpose: bucket for tier in tiers for purpose, bucket in tier.buckets.items()}
    if buckets:
        access = BucketAccessArgs(
            placement=spec.placement,
            workloads=workloads(spec),
            buckets=tuple(buckets.values()),
            issuer=ground.cluster.issuer,
        )
        BucketAccess("bucket-access", access, opts=site.options(provider=ground.provider))
    return buckets


def _platform(ground: ClusterContext) -> PlatformBucket | None:
    """The bucket of the platform and who may use it; None where no platform is installed."""
    site, spec, settings = ground.site, ground.site.spec, ground.site.settings
    if spec.platform is None:
        return None
    on_coreweave = site.options(provider=ground.provider)
    args = PlatformStorageArgs(spec=spec, zone=ground.settings.zone, charges=site.ledger.claim(OWNER))
    bucket = PlatformStorage("platform-bucket", args, opts=on_coreweave).bucket
    users = PlatformAccessArgs(
        placement=spec.placement, issuer=ground.cluster.issuer, users=bucket_users(spec.platform), bucket=bucket
    )
    access = PlatformAccess("platform-access", users, opts=on_coreweave)
    return PlatformBucket(
        name=bucket,
        endpoint=ENDPOINT,
        region=ground.settings.zone,  # what signatures name there (docs.coreweave.com, Configure Endpoints)
        annotations=access.annotations,
        access_key=settings.backup_access_key,
        secret_key=settings.backup_secret_key,
    )


def _register_file_systems(ground: ClusterContext, *, inside: kubernetes.Provider) -> tuple[SharedFileSystem, ...]:
    site = ground.site
    return tuple(
        SharedFileSystem(
            f"tier-{tier.tier}",
            SharedFileSystemArgs(placement=site.placement, tier=tier),
            opts=site.options(provider=inside, depends_on=[ground.cluster]),
        )
        for tier in site.spec.storage
        if tier.item == SHARED
    )
