"""A whole cluster on AWS, part by part; each part waits for those it cannot live without, destroy runs backwards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as kubernetes

from components.access.aws_buckets import BucketAccess, BucketAccessArgs
from components.access.aws_key import Key, KeyArgs
from components.access.names import workloads
from components.cluster.aws import Cluster, ClusterArgs
from components.cluster.aws_addons import BEFORE_NODES, ON_NODES, AddOns, AddOnsArgs
from components.cluster.aws_logs import Logs, LogsArgs
from components.naming import tags
from components.network.aws import Network, NetworkArgs
from components.network.aws_peering import Peering, PeeringArgs
from components.nodepool.aws import NodePool, NodePoolArgs
from components.nodepool.aws_reservation import reservation, subnets
from components.site import Built, ClusterHandle, Identity, Ingress, Names, ObjectStore, StorageClasses
from components.storage.aws_classes import DISK, Classes, ClassesArgs
from components.storage.aws_objects import ObjectTier, ObjectTierArgs
from components.storage.aws_shared import SharedFileSystem, SharedFileSystemArgs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.site import Site

OBJECTS = frozenset({"object", "object_infrequent", "object_archive"})
SHARED = "shared_ssd"


@dataclass(frozen=True, kw_only=True)
class Ground:
    """What every part stands on."""

    site: Site
    aws: aws.Provider
    key: Key
    network: Network


def build(site: Site) -> Built:
    """Registers the cluster of an AWS placement.

    Raises:
        AtollError: the lock or the stack's settings cannot be built.
    """
    spec = site.spec
    cloud = aws.Provider("aws", region=spec.placement.region, default_tags={"tags": tags(spec)}, opts=site.options())
    on_aws = site.options(provider=cloud)
    key = Key("key", KeyArgs(placement=spec.placement), opts=on_aws)
    within = NetworkArgs(placement=spec.placement, network=spec.network, charges=site.ledger.claim("network"))
    ground = Ground(site=site, aws=cloud, key=key, network=Network("network", within, opts=on_aws))
    cluster = _cluster(ground)
    pools = _pools(ground, cluster=cluster)
    buckets = _objects(ground, cluster=cluster)
    files = _shared(ground, cluster=cluster)
    peering = _peering(ground)
    inside = kubernetes.Provider("cluster", kubeconfig=cluster.kubeconfig, opts=site.options(depends_on=pools))
    classes = Classes("classes", ClassesArgs(key_arn=key.arn), opts=site.options(provider=inside))
    handle = ClusterHandle(
        placement=spec.placement,
        profile=spec.profile,
        provider=inside,
        ready=(*pools, classes),
        classes=StorageClasses(disk=DISK),
        objects=ObjectStore(endpoint=f"https://s3.{spec.placement.region}.amazonaws.com", scheme="s3", buckets=buckets),
        identity=Identity(kind="pod_identity"),
        ingress=Ingress(load_balancer_class="service.k8s.aws/nlb"),
        names=Names(domain=spec.network.domain),
        kubeconfigs={"admin": cluster.kubeconfig},
    )
    outputs: dict[str, pulumi.Input[object]] = {
        "clusterName": cluster.name,
        "kubeconfig": cluster.kubeconfig,
        "adminRoleArn": cluster.admin_role_arn,
        "vpcId": ground.network.vpc_id,
        "buckets": buckets,
        **files,
        **peering,
    }
    return Built(handle=handle, outputs=outputs)


def _cluster(ground: Ground) -> Cluster:
    spec, key, network = ground.site.spec, ground.key, ground.network
    logs = Logs(
        "logs",
        LogsArgs(
            placement=spec.placement,
            vpc_id=network.vpc_id,
            key_arn=key.arn,
            charges=ground.site.ledger.claim("cluster"),
        ),
        opts=ground.site.options(provider=ground.aws),
    )
    return Cluster(
        "cluster",
        ClusterArgs(
            placement=spec.placement,
            kubernetes_version=spec.kubernetes_version,
            subnet_ids=network.private_subnets,
            key_arn=key.arn,
            api_cidrs=spec.network.api_cidrs,
            deletion_protection=not ground.site.settings.allow_destroy,
        ),
        opts=ground.site.options(provider=ground.aws, depends_on=[logs.control_plane, network]),
    )


def _pools(ground: Ground, *, cluster: Cluster) -> Sequence[pulumi.Resource]:
    """Node pools between the add-ons that nodes need and those that need nodes."""
    site, spec = ground.site, ground.site.spec
    before = AddOns(
        "add-ons-before-nodes",
        AddOnsArgs(cluster_name=cluster.resource.name, region=spec.placement.region, add_ons=BEFORE_NODES),
        opts=site.options(provider=ground.aws),
    )
    made: list[pulumi.Resource] = [
        NodePool(
            f"pool-{pool.name}",
            NodePoolArgs(
                placement=spec.placement,
                pool=pool,
                cluster_name=cluster.resource.name,
                cluster_security_group=cluster.security_group,
                vpc_id=ground.network.vpc_id,
                subnet_ids=subnets(pool, network=ground.network),
                node_role_arn=cluster.node_role.arn,
                key_alias=ground.key.alias,
                reservation=reservation(pool, site.settings),
                tags=tags(spec),
            ),
            opts=site.options(provider=ground.aws, depends_on=[before, ground.key.named]),
        )
        for pool in spec.pools
    ]
    after = AddOns(
        "add-ons-on-nodes",
        AddOnsArgs(cluster_name=cluster.resource.name, region=spec.placement.region, add_ons=ON_NODES),
        opts=site.options(provider=ground.aws, depends_on=made),
    )
    return [*made, after]


def _objects(ground: Ground, *, cluster: Cluster) -> Mapping[str, pulumi.Output[str]]:
    """Buckets by purpose, and the right to use them. The hot tier is the nodes' own NVMe."""
    site, spec = ground.site, ground.site.spec
    objects = [
        ObjectTier(
            f"tier-{tier.tier}",
            ObjectTierArgs(
                placement=spec.placement,
                tier=tier,
                key_arn=ground.key.arn,
                charges=site.ledger.claim(f"bucket/{tier.tier}"),
            ),
            opts=site.options(provider=ground.aws),
        )
        for tier in spec.storage
        if tier.item in OBJECTS
    ]
    if objects:
        access = BucketAccessArgs(
            region=spec.placement.region,
            cluster_name=cluster.resource.name,
            workloads=workloads(spec),
            bucket_arns=[arn for tier in objects for arn in tier.arns],
            key_arn=ground.key.arn,
        )
        BucketAccess("bucket-access", access, opts=site.options(provider=ground.aws))
    return {purpose: bucket for tier in objects for purpose, bucket in tier.buckets.items()}


def _shared(ground: Ground, *, cluster: Cluster) -> dict[str, pulumi.Input[object]]:
    spec, network = ground.site.spec, ground.network
    made = [
        SharedFileSystem(
            f"tier-{tier.tier}",
            SharedFileSystemArgs(
                placement=spec.placement,
                tier=tier,
                cidr=spec.network.cidr,
                vpc_id=network.vpc_id,
                subnet_id=network.private_subnets[0],
                client_group=cluster.security_group,
                key_arn=ground.key.arn,
            ),
            opts=ground.site.options(provider=ground.aws),
        )
        for tier in spec.storage
        if tier.item == SHARED
    ]
    return {"sharedFileSystems": [{"host": each.dns_name, "mount": each.mount_name} for each in made]} if made else {}


def _peering(ground: Ground) -> dict[str, pulumi.Input[object]]:
    spec, network = ground.site.spec, ground.network
    if spec.network.peering is None:
        return {}
    args = PeeringArgs(
        placement=spec.placement,
        peering=spec.network.peering,
        cidr=spec.network.cidr,
        vpc_id=network.vpc_id,
        tables=network.private_tables,
    )
    made = Peering("peering", args, opts=ground.site.options(provider=ground.aws))
    return {"peeringId": made.id, "peeringAccepted": made.accepted}
