"""Builds a cluster on Google Cloud. Dependencies order creation, and destroy runs in reverse."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi_kubernetes as kubernetes

from components.clouds.gcp.access.methods import GroupRights, register_access
from components.clouds.gcp.account.budget import BillingBudget
from components.clouds.gcp.account.logs import ForwardingAccess
from components.clouds.gcp.cluster.context import build_cluster_context
from components.clouds.gcp.cluster.machines import fabric_of
from components.clouds.gcp.network.main_cloud import VpcPeering
from components.clouds.gcp.network.vpc import DnsZone
from components.clouds.gcp.nodepools.gpu_networks import Lanes, register_gpu_networks
from components.clouds.gcp.nodepools.nodepool import NodePool
from components.clouds.gcp.storage.buckets import register_object_tiers
from components.clouds.gcp.storage.classes import DISK, SHARED, Classes, list_workload_volumes
from components.clouds.gcp.storage.file_systems import register_file_systems
from components.clouds.gcp.storage.platform_bucket import register_platform_bucket
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
    from collections.abc import Mapping

    import pulumi

    from components.clouds.gcp.access.methods import Roles
    from components.clouds.gcp.cluster.context import ClusterContext
    from components.clouds.gcp.nodepools.gpu_networks import GpuNetwork
    from components.context.placement import PlacementContext


def build(site: PlacementContext) -> BuiltCluster:
    """Raises AtollError where the lock or the stack's settings cannot be built."""
    here = build_cluster_context(site)
    spec = site.spec
    access, roles = register_access(here)
    gpu_networks = register_gpu_networks(here)
    pools = _register_pools(here, gpu_networks)
    buckets = register_object_tiers(here)
    files = register_file_systems(here)
    cold = buckets.get(next((tier.purpose for tier in spec.storage if tier.tier == "cold"), ""))
    names = _register_names(here)
    _register_forwarding(here)
    inside = kubernetes.Provider("cluster", kubeconfig=here.cluster.kubeconfig, opts=site.options(depends_on=pools))
    ready: list[pulumi.Resource] = [*pools]
    if site.settings.inside:
        options = site.options(provider=inside, depends_on=pools)
        _register_cluster_objects(roles, gpu_networks, options=options)
        ready.append(Classes("classes", here, files=files, bucket=cold, opts=options))
    handle = ClusterHandle(
        placement=spec.placement,
        profile=spec.profile,
        provider=inside,
        ready=ready,
        classes=StorageClasses(disk=DISK, shared=SHARED if files else ""),
        volumes=list_workload_volumes(files, cold),
        objects=ProviderObjectStore(endpoint="https://storage.googleapis.com", scheme="gs", buckets=buckets),
        identity=Identity(kind="workload_identity"),
        ingress=Ingress(internal={"networking.gke.io/load-balancer-type": "Internal"}),
        names=names,
        kubeconfigs=access.kubeconfigs,
        gateway=access.gateway,
        bucket=register_platform_bucket(here),
    )
    outputs: dict[str, pulumi.Input[object]] = {
        "clusterName": here.cluster.name,
        "kubeconfig": here.cluster.kubeconfig,
        "networkId": here.network.id,
        "buckets": buckets,
        **({"sharedFileSystems": [each.mount for each in files]} if files else {}),
        **({"nameServers": names.name_servers} if names.domain else {}),
        **_register_peering(here),
        **access.outputs,
        **_watch_ceiling(here),
    }
    return BuiltCluster(handle=handle, outputs=outputs)


def _register_pools(here: ClusterContext, gpu_networks: Mapping[str, GpuNetwork]) -> list[NodePool]:
    pools: list[NodePool] = []
    for pool in here.spec.pools:
        fabric = fabric_of(pool)
        interfaces = gpu_networks[fabric.kind].interfaces if fabric is not None else ()
        pools.append(NodePool(f"pool-{pool.name}", pool, here, interfaces=interfaces, opts=here.options()))
    return pools


def _register_cluster_objects(
    roles: Roles, gpu_networks: Mapping[str, GpuNetwork], *, options: pulumi.ResourceOptions
) -> None:
    """Rights of user accounts inside the cluster, and the GPU networks that pods may request."""
    if roles.accounts:
        GroupRights("group-rights", roles.accounts, opts=options)
    lanes = [lane for network in gpu_networks.values() for lane in network.lanes]
    if lanes:
        Lanes("lanes", lanes, opts=options)


def _register_names(here: ClusterContext) -> Names:
    domain = here.spec.network.domain
    if not domain:
        return Names()
    zone = DnsZone("domain", here.site, opts=here.options())
    return Names(domain=domain, zone_id=zone.zone_id, name_servers=zone.name_servers)


def _register_forwarding(here: ClusterContext) -> None:
    """Rights of the log collector, where this project is the destination."""
    to = here.spec.platform.forwarding if here.spec.platform is not None else None
    if to is None or not by_identity(to, target=here.spec.placement.target):
        return
    # Another project's owner grants the rights there.
    if to.account in {None, here.settings.project}:
        ForwardingAccess(
            "forwarding-access",
            to,
            project=here.project,
            number=here.number,
            workload_pool=here.cluster.workload_pool,
            opts=here.after_cluster,
        )


def _register_peering(here: ClusterContext) -> dict[str, pulumi.Input[object]]:
    if here.spec.network.peering is None:
        return {}
    peering = VpcPeering(
        "peering",
        here.spec.network.peering,
        site=here.site,
        project=here.project,
        project_setting=here.settings.project,
        network_id=here.network.id,
        opts=here.options(),
    )
    return {"peeringId": peering.id, "peeringAccepted": peering.accepted}


def _watch_ceiling(here: ClusterContext) -> dict[str, pulumi.Input[object]]:
    if here.budget_ceiling is None:
        return {}
    budget = BillingBudget(
        "budget",
        here.site,
        usd_per_month=here.budget_ceiling,
        billing_account=here.settings.billing_account,
        number=here.number,
        key_id=here.key.id,
        opts=here.options(depends_on=here.key.granted),
    )
    return {"budgetTopic": budget.topic}
