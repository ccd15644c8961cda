"""A whole cluster on AWS, part by part; each part waits for those it cannot live without, destroy runs backwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi_kubernetes as kubernetes

from components.clouds.aws.access.log_forwarding import ForwardingAccess, ForwardingAccessArgs
from components.clouds.aws.access.methods import register_access
from components.clouds.aws.cluster.context import build_cluster_context
from components.clouds.aws.cluster.load_balancers import CLASS
from components.clouds.aws.cluster.software import Software, after_nodes, before_nodes, software, watch_ceiling
from components.clouds.aws.network.domain import DnsZone, DnsZoneArgs
from components.clouds.aws.network.peering import VpcPeering, VpcPeeringArgs
from components.clouds.aws.nodepools.pools import is_elastic, other_pools, system_pools
from components.clouds.aws.storage.classes import DISK, Classes, ClassesArgs
from components.clouds.aws.storage.platform_bucket import platform_bucket
from components.clouds.aws.storage.tiers import tiers
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
    from collections.abc import Sequence

    import pulumi

    from components.clouds.aws.cluster.context import ClusterContext
    from components.clouds.aws.storage.tiers import Tiers
    from components.context.placement import PlacementContext


def build(site: PlacementContext) -> BuiltCluster:
    """Registers the cluster of an AWS placement.

    Raises:
        AtollError: the lock or the stack's settings cannot be built.
    """
    here = build_cluster_context(site)
    ways = register_access(site, cloud=here.provider, key=here.key, network=here.network, cluster=here.cluster)
    stored = tiers(here)
    first = before_nodes(here)
    system = system_pools(here, after=[first])
    added = after_nodes(here, nodes=system)
    inside = kubernetes.Provider(
        "cluster",
        kubeconfig=here.cluster.kubeconfig,
        opts=site.options(depends_on=[here.cluster, *ways.door, *system, added]),
    )
    names = _names(here)
    reached = site.settings.inside
    running = software(here, inside, elastic=is_elastic(here)) if reached else Software(autoscaler=None, ready=())
    pools = other_pools(here, inside=inside if reached else None, after=[first, added, *running.ready])
    watch_ceiling(here, autoscaler=running.autoscaler)
    bucket, allowed = platform_bucket(here)
    ready: list[pulumi.Resource] = [*system, added, *running.ready, *pools, *allowed, *_forwarding(here)]
    made = _classes(here, stored, inside=inside, ready=ready) if reached else None
    handle = ClusterHandle(
        placement=site.placement,
        profile=site.spec.profile,
        provider=inside,
        ready=ready,
        classes=StorageClasses(disk=DISK) if made is None else made.names,
        volumes=() if made is None else made.volumes,
        objects=_objects(here, stored),
        identity=Identity(kind="pod_identity"),
        ingress=_ingress(),
        names=names,
        kubeconfigs=ways.kubeconfigs,
        gateway=ways.gateway,
        bucket=bucket,
    )
    said = {**stored.outputs, **({"nameServers": names.name_servers} if names.domain else {})}
    return BuiltCluster(handle=handle, outputs={**_control_plane(here), **said, **_peering(here), **ways.outputs})


def _control_plane(here: ClusterContext) -> dict[str, pulumi.Input[object]]:
    return {
        "clusterName": here.cluster.name,
        "kubeconfig": here.cluster.kubeconfig,
        "adminRoleArn": here.cluster.admin_role_arn,
        "vpcId": here.network.vpc_id,
    }


def _forwarding(here: ClusterContext) -> Sequence[pulumi.Resource]:
    """Rights of the collector at CloudWatch, where this cloud is the main one; a pod that starts before has none."""
    platform = here.spec.platform
    to = platform.forwarding if platform is not None else None
    if to is None or not by_identity(to, target=here.spec.placement.target):
        return ()
    args = ForwardingAccessArgs(cluster_name=here.cluster.resource.name, customer=here.spec.customer.name, to=to)
    return ForwardingAccess("forwarding-access", args, opts=here.options()).ready


def _objects(here: ClusterContext, stored: Tiers) -> ProviderObjectStore:
    region = here.spec.placement.region
    return ProviderObjectStore(endpoint=f"https://s3.{region}.amazonaws.com", scheme="s3", buckets=stored.buckets)


def _classes(
    here: ClusterContext, stored: Tiers, *, inside: kubernetes.Provider, ready: list[pulumi.Resource]
) -> Classes:
    """Storage classes, which join what is ready; volumes are gone before their drivers are."""
    args = ClassesArgs(
        key_arn=here.key.arn,
        shared=stored.shared,
        cold=None if stored.disk is None else stored.disk.id,
        workloads=workloads(here.spec),
    )
    after: Sequence[pulumi.Resource] = [*ready, *(stored.disk.targets if stored.disk else ())]
    made = Classes("classes", args, opts=here.site.options(provider=inside, depends_on=after))
    ready.append(made)
    return made


def _ingress() -> Ingress:
    """Load balancers of the controller's class, with pods as their targets."""
    kind = "service.beta.kubernetes.io/aws-load-balancer"
    targets = {f"{kind}-nlb-target-type": "ip"}
    return Ingress(
        load_balancer_class=CLASS,
        internal={**targets, f"{kind}-scheme": "internal"},
        public={**targets, f"{kind}-scheme": "internet-facing"},
    )


def _names(here: ClusterContext) -> Names:
    domain = here.spec.network.domain
    if not domain:
        return Names()
    zone = DnsZone("domain", DnsZoneArgs(placement=here.spec.placement, domain=domain), opts=here.options())
    return Names(domain=domain, zone_id=zone.zone_id, name_servers=zone.name_servers, certificate=zone.certificate)


def _peering(here: ClusterContext) -> dict[str, pulumi.Input[object]]:
    spec, network = here.spec, here.network
    if spec.network.peering is None:
        return {}
    args = VpcPeeringArgs(
        placement=spec.placement,
        peering=spec.network.peering,
        cidr=spec.network.cidr,
        vpc_id=network.vpc_id,
        tables=network.private_tables,
    )
    made = VpcPeering("peering", args, opts=here.options())
    return {"peeringId": made.id, "peeringAccepted": made.accepted}
