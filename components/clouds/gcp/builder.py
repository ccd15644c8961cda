"""A whole cluster on Google Cloud, part by part; each part waits for those it cannot live without."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pulumi_kubernetes as kubernetes

from components.clouds.gcp.access.log_forwarding import ForwardingAccess, ForwardingAccessArgs
from components.clouds.gcp.access.methods import register_access, register_cluster_access
from components.clouds.gcp.account.budget import BillingBudget, BillingBudgetArgs
from components.clouds.gcp.account.logs import Logs, LogsArgs
from components.clouds.gcp.account.names import LUSTRE, pool_labels
from components.clouds.gcp.cluster.context import build_cluster_context, find_file_system_item
from components.clouds.gcp.cluster.control_plane import Cluster, ClusterArgs
from components.clouds.gcp.cluster.settings import pool_zones, reservation_of
from components.clouds.gcp.network.domain import DnsZone, DnsZoneArgs
from components.clouds.gcp.network.peering import VpcPeering, VpcPeeringArgs
from components.clouds.gcp.nodepools.gpu_networks import GpuNetworksArgs, Lanes, LanesArgs, fabrics, interfaces
from components.clouds.gcp.nodepools.nodepool import NodePool, NodePoolArgs, disk_type, fabric_of
from components.clouds.gcp.storage.classes import DISK, SHARED, Classes, ClassesArgs, list_workload_volumes
from components.clouds.gcp.storage.platform_bucket import platform_bucket
from components.clouds.gcp.storage.tiers import objects, register_file_systems
from components.context.names import workloads
from components.context.placement import (
    BuiltCluster,
    ClusterHandle,
    Identity,
    Ingress,
    Names,
    ProviderObjectStore,
    StorageClasses,
)
from planning.platform.log_forwarding import by_identity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from ipaddress import IPv4Network

    import pulumi

    from components.clouds.gcp.access.methods import AccessMethods
    from components.clouds.gcp.cluster.context import ClusterContext
    from components.clouds.gcp.nodepools.gpu_networks import GpuNetwork
    from components.clouds.gcp.storage.file_systems import SharedFileSystem
    from components.context.placement import PlacementContext
    from planning.spec.cluster import ClusterSpec


@dataclass(frozen=True, kw_only=True)
class Inside:
    """What the objects of Google Cloud's parts in the cluster are made of."""

    provider: kubernetes.Provider
    pools: Sequence[pulumi.Resource]
    files: Sequence[SharedFileSystem]
    bucket: pulumi.Output[str] | None
    made: Mapping[str, GpuNetwork]
    ways: AccessMethods


def build(site: PlacementContext) -> BuiltCluster:
    """Registers the cluster of a placement on Google Cloud.

    Raises:
        AtollError: the lock or the stack's settings cannot be built.
    """
    spec = site.spec
    ground = build_cluster_context(site)
    cluster = _cluster(ground)
    ways = register_access(ground, cluster=cluster)
    made = fabrics(GpuNetworksArgs(site=site, project=ground.project, zones=ground.zones), provider=ground.gcp)
    pools = _pools(ground, cluster=cluster, made=made)
    buckets = objects(ground, cluster=cluster)
    files = register_file_systems(ground)
    bucket = buckets.get(next((tier.purpose for tier in spec.storage if tier.tier == "cold"), ""))
    names = _names(ground)
    _forwarding(ground, cluster=cluster)
    inside = kubernetes.Provider("cluster", kubeconfig=cluster.kubeconfig, opts=site.options(depends_on=pools))
    parts = Inside(provider=inside, pools=pools, files=files, bucket=bucket, made=made, ways=ways)
    handle = ClusterHandle(
        placement=spec.placement,
        profile=spec.profile,
        provider=inside,
        ready=(*pools, *_inside(ground, parts)),
        classes=StorageClasses(disk=DISK, shared=SHARED if files else ""),
        volumes=list_workload_volumes(files, bucket),
        objects=ProviderObjectStore(endpoint="https://storage.googleapis.com", scheme="gs", buckets=buckets),
        identity=Identity(kind="workload_identity"),
        ingress=Ingress(internal={"networking.gke.io/load-balancer-type": "Internal"}),
        names=names,
        kubeconfigs=ways.kubeconfigs,
        gateway=ways.gateway,
        bucket=platform_bucket(ground, cluster=cluster),
    )
    outputs: dict[str, pulumi.Input[object]] = {
        "clusterName": cluster.name,
        "kubeconfig": cluster.kubeconfig,
        "networkId": ground.network.id,
        "buckets": buckets,
        **({"sharedFileSystems": [each.mount for each in files]} if files else {}),
        **({"nameServers": names.name_servers} if names.domain else {}),
        **_peering(ground),
        **ways.outputs,
        **_budget(ground),
    }
    return BuiltCluster(handle=handle, outputs=outputs)


def _cluster(ground: ClusterContext) -> Cluster:
    site, spec = ground.site, ground.site.spec
    args = ClusterArgs(
        placement=spec.placement,
        kubernetes_version=spec.kubernetes_version,
        project=ground.project,
        network_id=ground.network.id,
        subnet_id=ground.network.subnet_id,
        control_plane=ground.ranges.control_plane,
        pods_per_node=ground.ranges.pods_per_node,
        key_id=ground.key.id,
        inside=_callers(spec),
        api_cidrs=spec.network.api_cidrs,
        deletion_protection=not site.settings.allow_destroy,
        shared=find_file_system_item(spec),
        several_networks=any(fabric_of(pool) for pool in spec.pools),
        gpu_metrics=spec.profile.dcgm_exporter == "provider",
        labels=ground.labels,
    )
    waits = [*ground.key.granted, _logs(ground)]
    return Cluster("cluster", args, opts=site.options(provider=ground.gcp, depends_on=waits))


def _forwarding(ground: ClusterContext, *, cluster: Cluster) -> None:
    """Rights of the collector, where this project is the main one; in another its owner gives them."""
    spec = ground.site.spec
    to = spec.platform.forwarding if spec.platform is not None else None
    if to is None or not by_identity(to, target=spec.placement.target):
        return
    if to.account not in {None, ground.settings.project}:
        return
    args = ForwardingAccessArgs(
        project=ground.project, number=ground.number, workload_pool=cluster.workload_pool, to=to
    )
    # The pool of identities is there once the first cluster of the project is.
    after = ground.site.options(provider=ground.gcp, depends_on=[cluster.resource])
    ForwardingAccess("forwarding-access", args, opts=after)


def _callers(spec: ClusterSpec) -> tuple[IPv4Network, ...]:
    peer = spec.network.peering.vpc_cidr if spec.network.peering else None
    return (spec.network.cidr,) if peer is None else (spec.network.cidr, peer)


def _logs(ground: ClusterContext) -> Logs:
    args = LogsArgs(
        placement=ground.site.placement,
        project=ground.project,
        key_id=ground.key.id,
        charges=ground.site.ledger.claim("cluster"),
    )
    return Logs("logs", args, opts=ground.site.options(provider=ground.gcp))


def _pools(ground: ClusterContext, *, cluster: Cluster, made: Mapping[str, GpuNetwork]) -> Sequence[pulumi.Resource]:
    site, spec = ground.site, ground.site.spec
    return [
        NodePool(
            f"pool-{pool.name}",
            NodePoolArgs(
                placement=spec.placement,
                pool=pool,
                cluster_name=cluster.resource.name,
                node_account=cluster.node_account,
                key_id=ground.key.id,
                zones=pool_zones(pool, ground.zones[pool.name]),
                reservation=reservation_of(pool, site=site),
                interfaces=interfaces(pool, made),
                driver=spec.profile.gpu_driver == "provider",
                lustre=find_file_system_item(spec) == LUSTRE,
                labels=pool_labels(pool, ground.labels),
            ),
            opts=site.options(provider=ground.gcp),
        )
        for pool in spec.pools
    ]


def _inside(ground: ClusterContext, parts: Inside) -> Sequence[pulumi.Resource]:
    """What Google Cloud's parts need as objects of the cluster; the storage classes."""
    if not ground.site.settings.inside:
        return ()
    spec = ground.site.spec
    options = ground.site.options(provider=parts.provider, depends_on=parts.pools)
    register_cluster_access(parts.ways, options=options)
    lanes = [lane for fabric in parts.made.values() for lane in fabric.lanes]
    if lanes:
        Lanes("lanes", LanesArgs(lanes=lanes), opts=options)
    args = ClassesArgs(
        key_id=ground.key.id,
        disk_types=_disk_types(spec),
        files=parts.files,
        bucket=parts.bucket,
        workloads=workloads(spec),
    )
    return (Classes("classes", args, opts=options),)


def _disk_types(spec: ClusterSpec) -> tuple[str, ...]:
    """Kinds of disk that pods may get: first what the machines of the system pool attach."""
    pools = sorted(spec.pools, key=lambda pool: pool.role != "system")
    return tuple(dict.fromkeys(disk_type(pool) for pool in pools))


def _peering(ground: ClusterContext) -> dict[str, pulumi.Input[object]]:
    spec = ground.site.spec
    if spec.network.peering is None:
        return {}
    args = VpcPeeringArgs(
        placement=spec.placement,
        peering=spec.network.peering,
        project=ground.project,
        project_said=ground.settings.project,
        cidr=spec.network.cidr,
        network_id=ground.network.id,
    )
    made = VpcPeering("peering", args, opts=ground.site.options(provider=ground.gcp))
    return {"peeringId": made.id, "peeringAccepted": made.accepted}


def _names(ground: ClusterContext) -> Names:
    """DNS, where the checklist names a domain."""
    spec = ground.site.spec
    if not spec.network.domain:
        return Names()
    args = DnsZoneArgs(placement=spec.placement, domain=spec.network.domain, labels=ground.labels)
    zone = DnsZone("domain", args, opts=ground.site.options(provider=ground.gcp))
    return Names(domain=spec.network.domain, zone_id=zone.zone_id, name_servers=zone.name_servers)


def _budget(ground: ClusterContext) -> dict[str, pulumi.Input[object]]:
    if ground.watched is None:
        return {}
    args = BillingBudgetArgs(
        placement=ground.site.placement,
        ceiling=ground.watched,
        billing_account=ground.settings.billing_account,
        number=ground.number,
        key_id=ground.key.id,
        labels=ground.labels,
    )
    made = BillingBudget("budget", args, opts=ground.site.options(provider=ground.gcp, depends_on=ground.key.granted))
    return {"budgetTopic": made.topic}
