"""The pools of a cluster on AWS in their order: what the system runs on first, then what Karpenter adds to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.clouds.aws.nodepools.karpenter import Karpenter
from components.clouds.aws.nodepools.nodepool import NodePool, NodePoolArgs
from components.clouds.aws.nodepools.reservation import reservation, subnets
from components.context.naming import tags
from planning.platform.autoscaling import elastic_nodes

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pulumi
    import pulumi_kubernetes as kubernetes

    from components.clouds.aws.cluster.context import Ground
    from planning.spec.cluster import Pool

SYSTEM: Final = "system"


def system_pools(ground: Ground, *, after: Sequence[pulumi.Resource]) -> list[pulumi.Resource]:
    """The pools that carry the cluster's own software."""
    chosen = [pool for pool in ground.spec.pools if pool.role == SYSTEM]
    return [_pool(pool, ground, inside=None, after=after) for pool in chosen]


def other_pools(
    ground: Ground, *, inside: kubernetes.Provider | None, after: Sequence[pulumi.Resource]
) -> list[pulumi.Resource]:
    """The pools that work; without `inside` only those nodes of them that stay."""
    chosen = [pool for pool in ground.spec.pools if pool.role != SYSTEM]
    return [_pool(pool, ground, inside=inside, after=after) for pool in chosen]


def is_elastic(ground: Ground) -> bool:
    """Whether Karpenter has anything to start."""
    return any(elastic_nodes(pool) for pool in ground.spec.pools)


def _pool(
    pool: Pool, ground: Ground, *, inside: kubernetes.Provider | None, after: Sequence[pulumi.Resource]
) -> NodePool:
    network, cluster = ground.network, ground.cluster
    chosen = subnets(pool, network=network)
    joined = None if inside is None else _joined(ground, inside, chosen)
    return NodePool(
        f"pool-{pool.name}",
        NodePoolArgs(
            placement=ground.spec.placement,
            pool=pool,
            cluster_name=cluster.resource.name,
            cluster_security_group=cluster.security_group,
            vpc_id=network.vpc_id,
            subnet_ids=[network.private_subnets[index] for index in chosen],
            node_role_arn=cluster.node_role.arn,
            key_alias=ground.key.alias,
            reservation=reservation(pool, ground.site.settings),
            tags=tags(ground.spec),
            karpenter=joined,
        ),
        opts=ground.options(depends_on=[*after, ground.key.named, cluster]),
    )


def _joined(ground: Ground, inside: kubernetes.Provider, chosen: Sequence[int]) -> Karpenter:
    return Karpenter(
        provider=inside,
        cluster_name=ground.cluster.name,
        node_role=ground.cluster.node_role_name,
        subnets=[ground.network.private_names[index] for index in chosen],
    )
