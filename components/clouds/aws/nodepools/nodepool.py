"""Node pools on AWS: managed node groups for permanent nodes, Karpenter for elastic ones."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_aws as aws

from components.clouds.aws.nodepools.karpenter import register_elastic_pool
from components.clouds.aws.nodepools.launch_template import PoolNodes, create_launch_template, has_fabric
from components.context.hardware import image_flavor, labels, pool_facts, taints
from components.context.naming import build_physical_name, pool_tags, tags
from planning.platform.base_layer_software import count_fixed_nodes, elastic_nodes
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pulumi_kubernetes as kubernetes

    from components.clouds.aws.cluster.context import ClusterContext
    from components.clouds.aws.network.vpc import Vpc
    from components.context.settings import StackSettings
    from planning.spec.cluster import Pool

SYSTEM: Final = "system"
CAPACITY: Final[Mapping[str, str]] = {"spot": "SPOT"}
IMAGES: Final[Mapping[tuple[str, str], str]] = {
    ("plain", "x86_64"): "AL2023_x86_64_STANDARD",
    ("plain", "arm64"): "AL2023_ARM_64_STANDARD",
    ("nvidia", "x86_64"): "AL2023_x86_64_NVIDIA",
    ("nvidia", "arm64"): "AL2023_ARM_64_NVIDIA",
    ("neuron", "x86_64"): "AL2023_x86_64_NEURON",
}
ID: Final = re.compile(r"cr-[0-9a-z]+")  # the pattern of Karpenter's node class


def find_reservation(pool: Pool, settings: StackSettings) -> pulumi.Input[str] | None:
    """Id of the pool's capacity reservation or block; None where it needs none and the stack names none.

    Raises:
        InputError: a capacity block is needed and the stack's settings name none, or the id is invalid.
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


def list_subnets(pool: Pool, *, network: Vpc) -> tuple[int, ...]:
    """Numbers of the private subnets that the pool may start in; only one where its nodes must be close together.

    Raises:
        InputError: the pool names a zone that the network does not span.
    """
    found = tuple(range(len(network.private_subnets)))
    if pool.zones:
        unknown = sorted(set(pool.zones) - set(network.zones))
        if unknown:
            raise InputError(f"pool {pool.name} may start in {', '.join(unknown)}, which the network does not span")
        found = tuple(network.zones.index(zone) for zone in pool.zones)
    # A capacity block is in one zone, which Karpenter knows and the lock may not: all are allowed.
    close = (has_fabric(pool) or pool.placement_group) and pool.kind != "capacity_block"
    return found[:1] if close else found


def register_pools(
    here: ClusterContext, *, system: bool, inside: kubernetes.Provider | None, after: Sequence[pulumi.Resource]
) -> list[pulumi.Resource]:
    """The system pools, or all others; without `inside` only their permanent nodes."""
    return [
        NodePool(f"pool-{pool.name}", pool, here, inside=inside, after=after)
        for pool in here.spec.pools
        if (pool.role == SYSTEM) == system
    ]


@final
class NodePool(pulumi.ComponentResource):
    """Equal nodes of one offer.

    Accelerator nodes are tainted with their device, so that nothing else fills them. Burn-in taints nodes of the
    managed group: the test removes the taint from each node that passes, and EKS does not put it back. Nodes that
    Karpenter starts carry no such taint: it would start nodes for ever, on which no pod may run.
    """

    def __init__(
        self,
        name: str,
        pool: Pool,
        here: ClusterContext,
        *,
        inside: kubernetes.Provider | None,
        after: Sequence[pulumi.Resource],
    ) -> None:
        facts = {**pool_facts(here.site.placement, pool), "vcpus": pool.vcpus}
        options = here.options(depends_on=[*after, here.key.named, here.cluster])
        super().__init__("atoll:nodepool:NodePool", name, facts, options)
        group = f"nodes-{pool.name}"
        nodes = self._join(group, pool, here)
        if count_fixed_nodes(pool):
            self._create_node_group(group, nodes)
        if inside is not None and elastic_nodes(pool):
            register_elastic_pool(group, nodes, inside=inside, parent=self)
        self.register_outputs({"pool": pool.name})

    def _join(self, name: str, pool: Pool, here: ClusterContext) -> PoolNodes:
        """The pool's nodes with their EFA group and placement group."""
        shown = build_physical_name(here.site.placement, name)
        fabric, close = None, None
        if has_fabric(pool):
            marks = pool_tags(pool, tags(here.spec))
            fabric = _create_fabric_group(name, shown=shown, vpc_id=here.network.vpc_id, tags=marks, parent=self)
        if pool.placement_group:
            opts = pulumi.ResourceOptions(parent=self)
            # A fixed name: an unknown one would hide the priced properties beside it.
            close = aws.ec2.PlacementGroup(name, name=shown, strategy="cluster", opts=opts)
        return PoolNodes(
            pool=pool,
            here=here,
            shown=shown,
            subnets=list_subnets(pool, network=here.network),
            reservation=find_reservation(pool, here.site.settings),
            fabric=fabric,
            close=close,
        )

    def _create_node_group(self, name: str, nodes: PoolNodes) -> None:
        pool, here, count = nodes.pool, nodes.here, count_fixed_nodes(nodes.pool)
        template = create_launch_template(name, nodes, parent=self)
        aws.eks.NodeGroup(
            name,
            cluster_name=here.cluster.resource.name,
            node_role_arn=here.cluster.node_role.arn,
            subnet_ids=[here.network.private_subnets[index] for index in nodes.subnets],
            ami_type=IMAGES[image_flavor(pool.accelerator), pool.architecture],
            capacity_type=CAPACITY.get(pool.kind, "ON_DEMAND"),
            instance_types=[pool.machine],
            scaling_config={"min_size": count, "desired_size": count, "max_size": count},
            update_config={"max_unavailable": 1},
            node_repair_config={"enabled": True},
            launch_template={"id": template.id, "version": template.latest_version.apply(str)},
            labels=labels(pool),
            taints=[{"key": key, "value": value, "effect": "NO_SCHEDULE"} for key, value in taints(pool)],
            tags=pool_tags(pool, {}),
            opts=pulumi.ResourceOptions(parent=self, depends_on=nodes.needs),
        )


def _create_fabric_group(
    name: str, *, shown: str, vpc_id: pulumi.Input[str], tags: Mapping[str, str], parent: pulumi.Resource
) -> aws.ec2.SecurityGroup:
    """EFA requires a group that allows all traffic from and to itself, with both rules explicit."""
    group = aws.ec2.SecurityGroup(
        f"{name}-fabric",
        description="EFA traffic between the nodes of one pool",
        vpc_id=vpc_id,
        tags={**tags, "Name": shown},
        opts=pulumi.ResourceOptions(parent=parent),
    )
    inside = pulumi.ResourceOptions(parent=group)
    aws.vpc.SecurityGroupIngressRule(
        f"{name}-in",
        security_group_id=group.id,
        referenced_security_group_id=group.id,
        ip_protocol="-1",
        description="nodes of this pool",
        opts=inside,
    )
    aws.vpc.SecurityGroupEgressRule(
        f"{name}-out",
        security_group_id=group.id,
        referenced_security_group_id=group.id,
        ip_protocol="-1",
        description="nodes of this pool",
        opts=inside,
    )
    return group
