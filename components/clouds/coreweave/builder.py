"""Builds a cluster on CoreWeave. Dependencies order creation, and destroy runs in reverse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pulumi_coreweave as coreweave
import pulumi_kubernetes as kubernetes

from components.clouds.coreweave.cluster.control_plane import Cluster
from components.clouds.coreweave.cluster.settings import CoreWeaveSettings, read
from components.clouds.coreweave.network.vpc import Vpc
from components.clouds.coreweave.nodepools.nodepool import NodePool
from components.clouds.coreweave.storage.buckets import (
    ENDPOINT,
    BucketAccess,
    ObjectTier,
    PlatformAccess,
    PlatformStorage,
)
from components.clouds.coreweave.storage.file_systems import SharedFileSystem
from components.context.buckets import list_object_tiers
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
    from collections.abc import Mapping, Sequence

    import pulumi

    from components.context.placement import PlacementContext

SHARED: Final = "shared_ssd"
BALANCER_TYPE: Final = "service.beta.kubernetes.io/coreweave-load-balancer-type"  # docs: Expose a Service


@dataclass(frozen=True, kw_only=True)
class ClusterContext:
    site: PlacementContext
    settings: CoreWeaveSettings
    provider: coreweave.Provider
    cluster: Cluster


def build(site: PlacementContext) -> BuiltCluster:
    """Build the cluster, its node pools, file systems and buckets.

    Raises:
        AtollError: the lock or the stack's settings cannot be built.
    """
    here = _build_cluster_context(site)
    inside = kubernetes.Provider("cluster", kubeconfig=here.cluster.kubeconfig, opts=site.options())
    # Objects inside the cluster: with `atoll:reach` "cloud" a second update adds them.
    ready = _register_inside(here, inside=inside) if site.settings.inside else ()
    buckets = _register_object_tiers(here)
    handle = ClusterHandle(
        placement=site.placement,
        profile=site.spec.profile,
        provider=inside,
        ready=ready,
        classes=StorageClasses(disk=site.spec.profile.disk_class, shared=site.spec.profile.shared_class),
        objects=ProviderObjectStore(endpoint=ENDPOINT, scheme="s3", buckets=buckets),
        identity=Identity(kind="federation"),
        ingress=Ingress(public={BALANCER_TYPE: "public"}),
        names=Names(domain=site.spec.network.domain),
        kubeconfigs={"admin": here.cluster.kubeconfig},
        bucket=_register_platform_bucket(here),
    )
    outputs: dict[str, pulumi.Input[object]] = {
        "clusterName": here.cluster.name,
        "kubeconfig": here.cluster.kubeconfig,
        "issuer": here.cluster.issuer,
        **({"openIdServer": here.cluster.open_id_server} if here.settings.issuer else {}),
        "buckets": buckets,
    }
    return BuiltCluster(handle=handle, outputs=outputs)


def _build_cluster_context(site: PlacementContext) -> ClusterContext:
    """Network and control plane. The provider reads its token from the environment, so it is not in the state."""
    settings = read(site)
    provider = coreweave.Provider("coreweave", opts=site.options())
    network = Vpc("network", site, zone=settings.zone, opts=site.options(provider=provider))
    after = site.options(provider=provider, depends_on=[network])
    cluster = Cluster("cluster", site, settings=settings, vpc_id=network.vpc_id, opts=after)
    return ClusterContext(site=site, settings=settings, provider=provider, cluster=cluster)


def _register_inside(here: ClusterContext, *, inside: kubernetes.Provider) -> Sequence[pulumi.Resource]:
    """Node pools, and file systems of the shared tier. The hot tier is the nodes' own NVMe."""
    site, options = here.site, here.site.options(provider=inside, depends_on=[here.cluster])
    cpu_machine = here.settings.cpu_machine
    return (
        *(NodePool(pool, site=site, cpu_machine=cpu_machine, opts=options) for pool in site.spec.pools),
        *(SharedFileSystem(tier, site=site, opts=options) for tier in site.spec.storage if tier.item == SHARED),
    )


def _register_object_tiers(here: ClusterContext) -> Mapping[str, pulumi.Output[str]]:
    """Buckets by purpose, and the right of workloads to use them."""
    site, options = here.site, here.site.options(provider=here.provider)
    tiers = [
        ObjectTier(tier, site=site, zone=here.settings.zone, opts=options) for tier in list_object_tiers(site.spec)
    ]
    buckets = {purpose: bucket for tier in tiers for purpose, bucket in tier.buckets.items()}
    if buckets:
        names = tuple(buckets.values())
        BucketAccess("bucket-access", names, site=site, issuer=here.cluster.issuer, opts=options)
    return buckets


def _register_platform_bucket(here: ClusterContext) -> PlatformBucket | None:
    """The bucket and the rights of its users; None without a platform."""
    site, zone = here.site, here.settings.zone
    if site.spec.platform is None:
        return None
    options = site.options(provider=here.provider)
    bucket = PlatformStorage("platform-bucket", site, zone=zone, opts=options).bucket
    users = bucket_users(site.spec.platform)
    access = PlatformAccess(
        "platform-access", users, site=site, bucket=bucket, issuer=here.cluster.issuer, opts=options
    )
    return PlatformBucket(
        name=bucket,
        endpoint=ENDPOINT,
        region=zone,  # in request signatures (docs.coreweave.com, Configure Endpoints)
        annotations=access.annotations,
        access_key=site.settings.backup_access_key,
        secret_key=site.settings.backup_secret_key,
    )
