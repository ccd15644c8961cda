"""A whole cluster on AWS, part by part; each part waits for those it cannot live without, destroy runs backwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as kubernetes

from components.access.aws_buckets import BucketAccess, BucketAccessArgs
from components.access.aws_key import Key, KeyArgs
from components.access.names import workloads
from components.access.tenancy import Tenancy, TenancyArgs
from components.cluster.aws import Cluster, ClusterArgs
from components.cluster.aws_addons import BEFORE_NODES, ON_NODES, AddOns, AddOnsArgs
from components.cluster.aws_logs import Logs, LogsArgs
from components.contract import ContractArgs, Services
from components.naming import tags
from components.network.aws import Network, NetworkArgs
from components.network.aws_peering import Peering, PeeringArgs
from components.nodepool.aws import NodePool, NodePoolArgs
from components.nodepool.aws_reservation import reservation, subnets
from components.settings import read_settings
from components.storage.aws_objects import ObjectTier, ObjectTierArgs
from components.storage.aws_shared import SharedFileSystem, SharedFileSystemArgs

if TYPE_CHECKING:
    from components.charges import Ledger
    from components.settings import Settings
    from planning.spec import ClusterSpec

OBJECTS = frozenset({"object", "object_infrequent", "object_archive"})
SHARED = "shared_ssd"


def build(spec: ClusterSpec, ledger: Ledger) -> dict[str, pulumi.Input[object]]:
    """Registers the cluster of an AWS lock; the stack's outputs.

    Raises:
        AtollError: the lock or the stack's settings cannot be built.
    """
    settings = read_settings()
    provider = aws.Provider("aws", region=spec.placement.region, default_tags={"tags": tags(spec)})
    on_aws = pulumi.ResourceOptions(provider=provider)
    key = Key("key", KeyArgs(placement=spec.placement), opts=on_aws)
    network = Network(
        "network",
        NetworkArgs(placement=spec.placement, network=spec.network, charges=ledger.claim("network")),
        opts=on_aws,
    )
    cluster = _cluster(spec, ledger, settings, network=network, key=key, opts=on_aws)
    pools = _pools(spec, settings, cluster=cluster, network=network, key=key, provider=provider)
    storage = _storage(spec, ledger, cluster=cluster, network=network, key=key, opts=on_aws)
    peering = _peering(spec, network=network, opts=on_aws)
    inside = kubernetes.Provider(
        "cluster", kubeconfig=cluster.kubeconfig, opts=pulumi.ResourceOptions(depends_on=pools)
    )
    Tenancy("tenancy", TenancyArgs(spec=spec, disk_key_arn=key.arn), opts=pulumi.ResourceOptions(provider=inside))
    Services("services", ContractArgs(placement=spec.placement, charges=ledger.claim("services")))
    return {
        "clusterName": cluster.name,
        "kubeconfig": cluster.kubeconfig,
        "adminRoleArn": cluster.admin_role_arn,
        "vpcId": network.vpc_id,
        **storage,
        **peering,
    }


def _cluster(
    spec: ClusterSpec,
    ledger: Ledger,
    settings: Settings,
    *,
    network: Network,
    key: Key,
    opts: pulumi.ResourceOptions,
) -> Cluster:
    logs = Logs(
        "logs",
        LogsArgs(
            placement=spec.placement,
            vpc_id=network.vpc_id,
            key_arn=key.arn,
            charges=ledger.claim("cluster"),
        ),
        opts=opts,
    )
    return Cluster(
        "cluster",
        ClusterArgs(
            placement=spec.placement,
            kubernetes_version=spec.kubernetes_version,
            subnet_ids=network.private_subnets,
            key_arn=key.arn,
            api_cidrs=spec.network.api_cidrs,
            deletion_protection=not settings.allow_destroy,
        ),
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[logs.control_plane, network])),
    )


def _pools(
    spec: ClusterSpec,
    settings: Settings,
    *,
    cluster: Cluster,
    network: Network,
    key: Key,
    provider: aws.Provider,
) -> list[pulumi.Resource]:
    """Node pools between the add-ons that nodes need and those that need nodes."""
    before = AddOns(
        "add-ons-before-nodes",
        AddOnsArgs(cluster_name=cluster.resource.name, region=spec.placement.region, add_ons=BEFORE_NODES),
        opts=pulumi.ResourceOptions(provider=provider),
    )
    made: list[pulumi.Resource] = [
        NodePool(
            f"pool-{pool.name}",
            NodePoolArgs(
                placement=spec.placement,
                pool=pool,
                cluster_name=cluster.resource.name,
                cluster_security_group=cluster.security_group,
                vpc_id=network.vpc_id,
                subnet_ids=subnets(pool, network=network),
                node_role_arn=cluster.node_role.arn,
                key_alias=key.alias,
                reservation=reservation(pool, settings),
                tags=tags(spec),
            ),
            opts=pulumi.ResourceOptions(provider=provider, depends_on=[before, key.named]),
        )
        for pool in spec.pools
    ]
    after = AddOns(
        "add-ons-on-nodes",
        AddOnsArgs(cluster_name=cluster.resource.name, region=spec.placement.region, add_ons=ON_NODES),
        opts=pulumi.ResourceOptions(provider=provider, depends_on=made),
    )
    return [*made, after]


def _storage(
    spec: ClusterSpec,
    ledger: Ledger,
    *,
    cluster: Cluster,
    network: Network,
    key: Key,
    opts: pulumi.ResourceOptions,
) -> dict[str, pulumi.Input[object]]:
    """Buckets, the shared file system, and the right to use the buckets. The hot tier is the nodes' own NVMe."""
    objects = [
        ObjectTier(
            f"tier-{tier.tier}",
            ObjectTierArgs(
                placement=spec.placement,
                tier=tier,
                key_arn=key.arn,
                charges=ledger.claim(f"bucket/{tier.tier}"),
            ),
            opts=opts,
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
            key_arn=key.arn,
        )
        BucketAccess("bucket-access", access, opts=opts)
    buckets = {purpose: bucket for tier in objects for purpose, bucket in tier.buckets.items()}
    return {"buckets": buckets, **_shared(spec, cluster=cluster, network=network, key=key, opts=opts)}


def _shared(
    spec: ClusterSpec, *, cluster: Cluster, network: Network, key: Key, opts: pulumi.ResourceOptions
) -> dict[str, pulumi.Input[object]]:
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
                key_arn=key.arn,
            ),
            opts=opts,
        )
        for tier in spec.storage
        if tier.item == SHARED
    ]
    return {"sharedFileSystems": [{"host": each.dns_name, "mount": each.mount_name} for each in made]} if made else {}


def _peering(spec: ClusterSpec, *, network: Network, opts: pulumi.ResourceOptions) -> dict[str, pulumi.Input[object]]:
    if spec.network.peering is None:
        return {}
    args = PeeringArgs(
        placement=spec.placement,
        peering=spec.network.peering,
        cidr=spec.network.cidr,
        vpc_id=network.vpc_id,
        tables=network.private_tables,
    )
    made = Peering("peering", args, opts=opts)
    return {"peeringId": made.id, "peeringAccepted": made.accepted}
