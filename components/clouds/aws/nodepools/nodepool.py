"""A node pool on AWS: a managed node group for the nodes that stay, Karpenter for those that come and go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_aws as aws

from components.clouds.aws.nodepools.karpenter import ElasticArgs, register_elastic_pool
from components.clouds.aws.nodepools.launch_template import TemplateArgs, has_fabric, launch_template
from components.context.hardware import image_flavor, labels, pool_facts, taints
from components.context.naming import build_physical_name, pool_tags
from planning.platform.base_layer_software import count_fixed_nodes, elastic_nodes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.clouds.aws.nodepools.karpenter import Karpenter
    from planning.spec.cluster import Placement, Pool


def fabric_group(
    name: str, *, shown: str, vpc_id: pulumi.Input[str], tags: Mapping[str, str], parent: pulumi.Resource
) -> aws.ec2.SecurityGroup:
    """EFA asks for a group that allows everything from and to itself, both written out.

    Args:
        shown: its name for people, and for Karpenter, which finds it by this.
    """
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


def placement_group(name: str, *, shown: str, parent: pulumi.Resource) -> aws.ec2.PlacementGroup:
    """Machines on one spine. Its name is given, since what is priced beside it must stay plain."""
    return aws.ec2.PlacementGroup(name, name=shown, strategy="cluster", opts=pulumi.ResourceOptions(parent=parent))


CAPACITY: Final[Mapping[str, str]] = {"spot": "SPOT"}
IMAGES: Final[Mapping[tuple[str, str], str]] = {
    ("plain", "x86_64"): "AL2023_x86_64_STANDARD",
    ("plain", "arm64"): "AL2023_ARM_64_STANDARD",
    ("nvidia", "x86_64"): "AL2023_x86_64_NVIDIA",
    ("nvidia", "arm64"): "AL2023_ARM_64_NVIDIA",
    ("neuron", "x86_64"): "AL2023_x86_64_NEURON",
}


@dataclass(frozen=True, kw_only=True)
class NodePoolArgs:
    """What one node is, how many there may be, and where they join.

    Args:
        subnet_ids: subnets of the zones the pool may use; one only for a fabric or a placement group.
        reservation: id of the capacity reservation or capacity block, None where there is none.
        tags: tags of the stack; a launch template does not inherit them.
        karpenter: where its elastic nodes join; None where it has none.
    """

    placement: Placement
    pool: Pool
    cluster_name: pulumi.Input[str]
    cluster_security_group: pulumi.Input[str]
    vpc_id: pulumi.Input[str]
    subnet_ids: Sequence[pulumi.Input[str]]
    node_role_arn: pulumi.Input[str]
    key_alias: str
    reservation: pulumi.Input[str] | None
    tags: Mapping[str, str]
    karpenter: Karpenter | None


@final
class NodePool(pulumi.ComponentResource):
    """Equal nodes of one offer.

    Accelerator nodes are tainted with their device, so that nothing else fills them. Burn-in taints nodes of the
    managed group: the test removes the taint from each node that passes, and EKS does not put it back. Nodes that
    Karpenter starts carry no such taint: it would start nodes for ever, on which no pod may run.
    """

    def __init__(self, name: str, args: NodePoolArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:nodepool:NodePool", name, _facts(args), opts)
        close = _close(args, parent=self)
        if count_fixed_nodes(args.pool):
            _group(args, close=close, parent=self)
        if args.karpenter is not None and elastic_nodes(args.pool):
            _elastic(args, args.karpenter, close=close, parent=self)
        self.register_outputs({"pool": args.pool.name})


@dataclass(frozen=True, kw_only=True)
class _Close:
    """What keeps the nodes together, each None where it is not wanted."""

    fabric: aws.ec2.SecurityGroup | None
    placement: aws.ec2.PlacementGroup | None
    name: str

    @property
    def resources(self) -> list[pulumi.Resource]:
        return [each for each in (self.fabric, self.placement) if each is not None]


def _close(args: NodePoolArgs, *, parent: NodePool) -> _Close:
    pool, name = args.pool, f"nodes-{args.pool.name}"
    shown = build_physical_name(args.placement, name)
    joined = has_fabric(pool)
    tags = pool_tags(pool, args.tags)
    return _Close(
        fabric=fabric_group(name, shown=shown, vpc_id=args.vpc_id, tags=tags, parent=parent) if joined else None,
        placement=placement_group(name, shown=shown, parent=parent) if pool.placement_group else None,
        name=shown,
    )


def _group(args: NodePoolArgs, *, close: _Close, parent: NodePool) -> None:
    name = f"nodes-{args.pool.name}"
    template = launch_template(
        name,
        TemplateArgs(
            pool=args.pool,
            cluster_security_group=args.cluster_security_group,
            fabric_group=None if close.fabric is None else close.fabric.id,
            placement_group="" if close.placement is None else close.name,
            key_alias=args.key_alias,
            reservation=args.reservation,
            tags=pool_tags(args.pool, args.tags),
        ),
        parent=parent,
    )
    _node_group(name, args, template=template, needs=close.resources, parent=parent)


def _elastic(args: NodePoolArgs, karpenter: Karpenter, *, close: _Close, parent: NodePool) -> None:
    register_elastic_pool(
        f"nodes-{args.pool.name}",
        ElasticArgs(
            pool=args.pool,
            karpenter=karpenter,
            key_alias=args.key_alias,
            reservation=args.reservation,
            fabric_group="" if close.fabric is None else close.name,
            placement_group="" if close.placement is None else close.name,
            tags=pool_tags(args.pool, args.tags),
        ),
        parent=parent,
        needs=close.resources,
    )


def _facts(args: NodePoolArgs) -> dict[str, object]:
    return {**pool_facts(args.placement, args.pool), "vcpus": args.pool.vcpus}


def _node_group(
    name: str,
    args: NodePoolArgs,
    *,
    template: aws.ec2.LaunchTemplate,
    needs: Sequence[pulumi.Resource],
    parent: NodePool,
) -> aws.eks.NodeGroup:
    pool, count = args.pool, count_fixed_nodes(args.pool)
    return aws.eks.NodeGroup(
        name,
        cluster_name=args.cluster_name,
        node_role_arn=args.node_role_arn,
        subnet_ids=list(args.subnet_ids),
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
        opts=pulumi.ResourceOptions(parent=parent, depends_on=list(needs)),
    )
