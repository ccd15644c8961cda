"""What keeps the nodes of one pool close: a security group for EFA traffic, and a placement group if wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi
import pulumi_aws as aws

if TYPE_CHECKING:
    from collections.abc import Mapping


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
