"""The pools of a cluster on AWS in their order: what the system runs on first, then what Karpenter adds to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import pulumi

from components.clouds.aws.nodepools.karpenter import Karpenter
from components.clouds.aws.nodepools.launch_template import has_fabric
from components.clouds.aws.nodepools.nodepool import NodePool, NodePoolArgs
from components.context.naming import tags
from planning.platform.base_layer_software import elastic_nodes
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pulumi_kubernetes as kubernetes

    from components.clouds.aws.cluster.context import ClusterContext
    from components.clouds.aws.network.vpc import Vpc
    from components.context.settings import StackSettings
    from planning.spec.cluster import Pool


ID: Final = re.compile(r"cr-[0-9a-z]+")  # as Karpenter's node class takes it


def reservation(pool: Pool, settings: StackSettings) -> pulumi.Input[str] | None:
    """Id of the pool's capacity reservation or block; None where it needs none and the stack names none.

    Raises:
        InputError: a capacity block is needed and the stack's settings name none, or what they name is no id.
    """
    named = settings.reservations.get(pool.name)
    if named is not None and not ID.fullmatch(named):
        raise InputError(
            f"pool {pool.name} starts in {named!r}, which is no id of a capacity reservation",
            hint="an id looks like cr-0123456789abcdef0; aws ec2 describe-capacity-reservations lists them",
        )
    if named is not None or pool.kind != "capacity_block":
        return named
    if settings.offline:
        return pulumi.Output.from_input(pulumi.UNKNOWN).apply(str)
    raise InputError(
        f"pool {pool.name} runs in a capacity block, and the stack does not say which",
        hint=f"pulumi config set --path 'atoll:capacityReservations.{pool.name}' cr-...",
    )


def subnets(pool: Pool, *, network: Vpc) -> tuple[int, ...]:
    """Private subnets the pool may start in, by their number; one only where its nodes must be close together.

    A capacity block is in one zone, which Karpenter knows and the lock may not: it may start in any of them.

    Raises:
        InputError: the pool names a zone that the network does not span.
    """
    found = tuple(range(len(network.private_subnets)))
    if pool.zones:
        unknown = sorted(set(pool.zones) - set(network.zones))
        if unknown:
            raise InputError(f"pool {pool.name} may start in {', '.join(unknown)}, which the network does not span")
        found = tuple(network.zones.index(zone) for zone in pool.zones)
    close = (has_fabric(pool) or pool.placement_group) and pool.kind != "capacity_block"
    return found[:1] if close else found


SYSTEM: Final = "system"


def system_pools(ground: ClusterContext, *, after: Sequence[pulumi.Resource]) -> list[pulumi.Resource]:
    chosen = [pool for pool in ground.spec.pools if pool.role == SYSTEM]
    return [_pool(pool, ground, inside=None, after=after) for pool in chosen]


def other_pools(
    ground: ClusterContext, *, inside: kubernetes.Provider | None, after: Sequence[pulumi.Resource]
) -> list[pulumi.Resource]:
    """The pools that work; without `inside` only those nodes of them that stay."""
    chosen = [pool for pool in ground.spec.pools if pool.role != SYSTEM]
    return [_pool(pool, ground, inside=inside, after=after) for pool in chosen]


def is_elastic(ground: ClusterContext) -> bool:
    return any(elastic_nodes(pool) for pool in ground.spec.pools)


def _pool(
    pool: Pool, ground: ClusterContext, *, inside: kubernetes.Provider | None, after: Sequence[pulumi.Resource]
) -> NodePool:
    network, cluster = ground.network, ground.cluster
    chosen = subnets(pool, network=network)
    joined = None if inside is None else _build_karpenter(ground, inside, chosen)
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


def _build_karpenter(ground: ClusterContext, inside: kubernetes.Provider, chosen: Sequence[int]) -> Karpenter:
    return Karpenter(
        provider=inside,
        cluster_name=ground.cluster.name,
        node_role=ground.cluster.node_role_name,
        subnets=[ground.network.private_names[index] for index in chosen],
    )
