"""Builds a cluster on AWS. Dependencies order creation, and destroy runs in reverse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pulumi_kubernetes as kubernetes

from components.clouds.aws.access.methods import register_access
from components.clouds.aws.account.logs import ForwardingAccess
from components.clouds.aws.cluster.context import build_cluster_context
from components.clouds.aws.cluster.load_balancers import CLASS
from components.clouds.aws.cluster.software import (
    register_add_ons_before_nodes,
    register_add_ons_on_nodes,
    register_controllers,
    watch_ceiling,
)
from components.clouds.aws.network.main_cloud import VpcPeering
from components.clouds.aws.network.vpc import DnsZone
from components.clouds.aws.nodepools.nodepool import register_pools
from components.clouds.aws.storage.buckets import register_object_tiers
from components.clouds.aws.storage.classes import DISK, Classes
from components.clouds.aws.storage.file_systems import FileSystems, register_file_systems
from components.clouds.aws.storage.platform_bucket import register_platform_bucket
from components.context.placement import (
    BuiltCluster,
    ClusterHandle,
    Identity,
    Ingress,
    Names,
    ProviderObjectStore,
    StorageClasses,
)
from planning.platform.base_layer_software import elastic_nodes
from planning.platform.log_forwarding import by_identity

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pulumi

    from components.clouds.aws.cluster.context import ClusterContext
    from components.context.placement import PlacementContext

# Load balancers of the controller's class have pods as their targets.
BALANCER: Final = "service.beta.kubernetes.io/aws-load-balancer"
TARGETS: Final = {f"{BALANCER}-nlb-target-type": "ip"}
INGRESS: Final = Ingress(
    load_balancer_class=CLASS,
    internal={**TARGETS, f"{BALANCER}-scheme": "internal"},
    public={**TARGETS, f"{BALANCER}-scheme": "internet-facing"},
)


def build(site: PlacementContext) -> BuiltCluster:
    """Raises AtollError where the lock or the stack's settings cannot be built."""
    here = build_cluster_context(site)
    access = register_access(here)
    objects = register_object_tiers(here)
    files = register_file_systems(here, objects)
    buckets = {purpose: bucket for tier in objects for purpose, bucket in tier.buckets.items()}
    first = register_add_ons_before_nodes(here)
    system = register_pools(here, system=True, inside=None, after=[first])
    added = register_add_ons_on_nodes(here, nodes=system)
    inside = kubernetes.Provider(
        "cluster",
        kubeconfig=here.cluster.kubeconfig,
        opts=site.options(depends_on=[here.cluster, *access.door, *system, added]),
    )
    names = _register_names(here)
    reached, elastic = site.settings.inside, any(elastic_nodes(pool) for pool in here.spec.pools)
    autoscaler, running = register_controllers(here, inside, elastic=elastic) if reached else (None, [])
    pools = register_pools(here, system=False, inside=inside if reached else None, after=[first, added, *running])
    watch_ceiling(here, autoscaler=autoscaler)
    bucket, allowed = register_platform_bucket(here)
    ready: list[pulumi.Resource] = [*system, added, *running, *pools, *allowed, *_register_forwarding(here)]
    classes = _register_classes(here, files, inside=inside, ready=ready) if reached else None
    handle = ClusterHandle(
        placement=site.placement,
        profile=site.spec.profile,
        provider=inside,
        ready=ready,
        classes=StorageClasses(disk=DISK) if classes is None else classes.names,
        volumes=() if classes is None else classes.volumes,
        objects=ProviderObjectStore(endpoint=f"https://s3.{here.region}.amazonaws.com", scheme="s3", buckets=buckets),
        identity=Identity(kind="pod_identity"),
        ingress=INGRESS,
        names=names,
        kubeconfigs=access.kubeconfigs,
        gateway=access.gateway,
        bucket=bucket,
    )
    outputs = {**_list_outputs(here, files, names), "buckets": buckets, **_register_peering(here), **access.outputs}
    return BuiltCluster(handle=handle, outputs=outputs)


def _list_outputs(here: ClusterContext, files: FileSystems, names: Names) -> dict[str, pulumi.Input[object]]:
    outputs: dict[str, pulumi.Input[object]] = {
        "clusterName": here.cluster.name,
        "kubeconfig": here.cluster.kubeconfig,
        "adminRoleArn": here.cluster.admin_role_arn,
        "vpcId": here.network.vpc_id,
    }
    if files.shared is not None:
        outputs["sharedFileSystems"] = [{"host": files.shared.dns_name, "mount": files.shared.mount_name}]
    if names.domain:
        outputs["nameServers"] = names.name_servers
    return outputs


def _register_names(here: ClusterContext) -> Names:
    domain = here.spec.network.domain
    if not domain:
        return Names()
    zone = DnsZone("domain", here.site, opts=here.options())
    return Names(domain=domain, zone_id=zone.zone_id, name_servers=zone.name_servers, certificate=zone.certificate)


def _register_forwarding(here: ClusterContext) -> Sequence[pulumi.Resource]:
    """Rights of the log collector at CloudWatch, where AWS is the main cloud; its pods must start after them."""
    platform = here.spec.platform
    to = platform.forwarding if platform is not None else None
    if to is None or not by_identity(to, target=here.spec.placement.target):
        return ()
    customer, cluster = here.spec.customer.name, here.cluster.resource.name
    return ForwardingAccess("forwarding-access", to, customer=customer, cluster_name=cluster, opts=here.options()).ready


def _register_classes(
    here: ClusterContext, files: FileSystems, *, inside: kubernetes.Provider, ready: list[pulumi.Resource]
) -> Classes:
    """Storage classes."""
    # Destroyed before nodes and add-ons, so that volumes go while their drivers still run.
    after = [*ready, *(files.disk.targets if files.disk is not None else ())]
    classes = Classes("classes", files, here, opts=here.site.options(provider=inside, depends_on=after))
    ready.append(classes)
    return classes


def _register_peering(here: ClusterContext) -> dict[str, pulumi.Input[object]]:
    if here.spec.network.peering is None:
        return {}
    peering = VpcPeering(
        "peering", here.spec.network.peering, site=here.site, network=here.network, opts=here.options()
    )
    return {"peeringId": peering.id, "peeringAccepted": peering.accepted}
