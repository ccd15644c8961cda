"""A node pool on AWS: one EKS managed node group over a launch template of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_aws as aws

from components.naming import pool_tags
from components.nodepool.aws_template import TemplateArgs, launch_template
from components.nodepool.devices import BURN_IN_TAINT, device, image_flavor, labels
from planning.charge import range_to_inputs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planning.spec import Placement, Pool

CAPACITY: Final[Mapping[str, str]] = {"spot": "SPOT", "capacity_block": "CAPACITY_BLOCK"}
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
        subnet_ids: subnets of the zones the pool may use; one only for a fabric, a placement group or a reservation.
        reservation: id of the capacity reservation or capacity block, None where there is none.
        tags: tags of the stack; a launch template does not inherit them.
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


@final
class NodePool(pulumi.ComponentResource):
    """Equal nodes of one offer.

    Accelerator nodes are tainted with their device, so that nothing else fills them. Burn-in taints nodes of pools that
    always hold nodes (`min_nodes` above 0): the test removes the taint from each node that passes, and EKS does not put
    it back. A pool that scales from zero carries no such taint: an autoscaler reads the group's taints to foresee its
    nodes, would see none that a pod tolerates, and never start the first one.

    The size that is wanted now belongs to the autoscaler after the first update, so changes to it are not undone.
    """

    def __init__(self, name: str, args: NodePoolArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:nodepool:NodePool", name, _facts(args), opts)
        template = launch_template(
            f"nodes-{args.pool.name}",
            TemplateArgs(
                pool=args.pool,
                vpc_id=args.vpc_id,
                cluster_security_group=args.cluster_security_group,
                key_alias=args.key_alias,
                reservation=args.reservation,
                tags=pool_tags(args.pool, args.tags),
            ),
            parent=self,
        )
        group = _node_group(f"nodes-{args.pool.name}", args, template=template, parent=self)
        self.register_outputs({"nodeGroup": group.id})


def _facts(args: NodePoolArgs) -> dict[str, object]:
    pool = args.pool
    return {
        "provider": args.placement.provider,
        "region": args.placement.region,
        "pool": pool.name,
        "role": pool.role,
        "machine": pool.machine,
        "purchase": pool.purchase,
        "accelerators": pool.accelerators,
        "nodeHours": range_to_inputs(pool.node_hours.as_range()),
    }


def _node_group(
    name: str, args: NodePoolArgs, *, template: aws.ec2.LaunchTemplate, parent: NodePool
) -> aws.eks.NodeGroup:
    pool = args.pool
    return aws.eks.NodeGroup(
        name,
        cluster_name=args.cluster_name,
        node_role_arn=args.node_role_arn,
        subnet_ids=list(args.subnet_ids),
        ami_type=IMAGES[image_flavor(pool.accelerator), pool.architecture],
        capacity_type=CAPACITY.get(pool.kind, "ON_DEMAND"),
        instance_types=None if pool.kind == "capacity_block" else [pool.machine],
        scaling_config={"min_size": pool.min_nodes, "desired_size": pool.min_nodes, "max_size": pool.max_nodes},
        update_config={"max_unavailable": 1},
        node_repair_config={"enabled": True},
        launch_template={"id": template.id, "version": template.latest_version.apply(str)},
        labels=labels(pool),
        taints=_taints(pool),
        tags=pool_tags(pool, {}),
        opts=pulumi.ResourceOptions(parent=parent, ignore_changes=["scalingConfig.desiredSize"]),
    )


def _taints(pool: Pool) -> list[aws.eks.NodeGroupTaintArgs]:
    found: list[aws.eks.NodeGroupTaintArgs] = []
    name = device(pool.accelerator)
    if pool.role == "gpu" and name:
        found.append(aws.eks.NodeGroupTaintArgs(key=name, value="present", effect="NO_SCHEDULE"))
    if pool.burn_in and pool.min_nodes > 0:
        found.append(aws.eks.NodeGroupTaintArgs(key=BURN_IN_TAINT, value="pending", effect="NO_SCHEDULE"))
    return found
