"""What Karpenter may do in the account: start and end machines of its own cluster, tagged as such, and nothing else.

After the policies of its release 1.14 (karpenter.sh/v1.14/reference/cloudformation), with the key of the queue.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

import pulumi

from components.clouds.aws.account.iam import partition

if TYPE_CHECKING:
    from collections.abc import Sequence

Statement: TypeAlias = "dict[str, object]"
Condition: TypeAlias = "dict[str, dict[str, object]]"

MADE: Final = ("fleet", "instance", "volume", "network-interface", "launch-template", "spot-instances-request")
USED: Final = ("security-group", "subnet", "capacity-reservation", "placement-group")
SEEN: Final = (
    "ec2:DescribeCapacityReservations",
    "ec2:DescribeImages",
    "ec2:DescribeInstances",
    "ec2:DescribeInstanceStatus",
    "ec2:DescribeInstanceTypeOfferings",
    "ec2:DescribeInstanceTypes",
    "ec2:DescribeLaunchTemplates",
    "ec2:DescribePlacementGroups",
    "ec2:DescribeSecurityGroups",
    "ec2:DescribeSpotPriceHistory",
    "ec2:DescribeSubnets",
)
START: Final = ("ec2:RunInstances", "ec2:CreateFleet")
ANY_POOL: Final = "karpenter.sh/nodepool"
ANY_CLASS: Final = "karpenter.k8s.aws/ec2nodeclass"


@dataclass(frozen=True, kw_only=True)
class Rights:
    """Whose rights they are."""

    cluster: str
    region: str
    account: pulumi.Input[str]
    node_role_arn: pulumi.Input[str]
    queue_arn: pulumi.Input[str]
    key_arn: pulumi.Input[str]


def machines(rights: Rights) -> list[Statement]:
    """Starting, tagging and ending machines; each statement but the first is bound to the cluster's tag."""
    made = [_ec2(rights, kind) for kind in MADE]
    template = _ec2(rights, "launch-template")
    images = [f"arn:{partition(rights.region)}:ec2:{rights.region}::{kind}/*" for kind in ("image", "snapshot")]
    create: Condition = {
        **_requested(rights, ANY_POOL),
        "StringEquals": {
            **_wanted(rights),
            "ec2:CreateAction": ["RunInstances", "CreateFleet", "CreateLaunchTemplate"],
        },
    }
    rename: Condition = {
        **_owned(rights, ANY_POOL),
        "StringEqualsIfExists": {"aws:RequestTag/eks:eks-cluster-name": rights.cluster},
        "ForAllValues:StringEquals": {"aws:TagKeys": ["eks:eks-cluster-name", "karpenter.sh/nodeclaim", "Name"]},
    }
    return [
        _allow("Use", START, [*images, *(_ec2(rights, kind) for kind in USED)]),
        _allow("UseTemplates", START, template, _owned(rights, ANY_POOL)),
        _allow("Start", (*START, "ec2:CreateLaunchTemplate"), made, _requested(rights, ANY_POOL)),
        _allow("TagNew", ("ec2:CreateTags",), made, create),
        _allow("TagOwn", ("ec2:CreateTags",), _ec2(rights, "instance"), rename),
        _allow(
            "End",
            ("ec2:TerminateInstances", "ec2:DeleteLaunchTemplate"),
            [_ec2(rights, "instance"), template],
            _owned(rights, ANY_POOL),
        ),
    ]


def identities(rights: Rights) -> list[Statement]:
    """Instance profiles of its own, which carry the nodes' role, and the role that EC2 needs for spot."""
    iam = f"arn:{partition(rights.region)}:iam::"
    profiles = _of_account(iam, rights, "instance-profile/*")
    spot = _of_account(iam, rights, "role/aws-service-role/spot.amazonaws.com/AWSServiceRoleForEC2Spot")
    own = _owned(rights, ANY_CLASS, regional=True)
    new = _requested(rights, ANY_CLASS, regional=True)
    to_ec2: Condition = {"StringEquals": {"iam:PassedToService": ["ec2.amazonaws.com", "ec2.amazonaws.com.cn"]}}
    for_spot: Condition = {"StringEquals": {"iam:AWSServiceName": "spot.amazonaws.com"}}
    change = ("iam:AddRoleToInstanceProfile", "iam:RemoveRoleFromInstanceProfile", "iam:DeleteInstanceProfile")
    return [
        _allow("PassRole", ("iam:PassRole",), rights.node_role_arn, to_ec2),
        _allow("NewProfiles", ("iam:CreateInstanceProfile",), profiles, new),
        _allow("TagProfiles", ("iam:TagInstanceProfile",), profiles, _merged(own, new)),
        _allow("OwnProfiles", change, profiles, own),
        _allow("SeeProfiles", ("iam:GetInstanceProfile",), profiles),
        _allow("SpotRole", ("iam:CreateServiceLinkedRole",), spot, for_spot),
    ]


def views(rights: Rights) -> list[Statement]:
    """What it looks up: kinds of machines and their prices, its cluster, and warnings of interruptions."""
    arn = f"arn:{partition(rights.region)}"
    here: Condition = {"StringEquals": {"aws:RequestedRegion": rights.region}}
    cluster = _of_account(f"{arn}:eks:{rights.region}:", rights, f"cluster/{rights.cluster}")
    return [
        _allow("See", SEEN, "*", here),
        _allow("Images", ("ssm:GetParameter",), f"{arn}:ssm:{rights.region}::parameter/aws/service/*"),
        _allow("Prices", ("pricing:GetProducts",), "*"),
        _allow("Profiles", ("iam:ListInstanceProfiles",), "*"),
        _allow("Cluster", ("eks:DescribeCluster",), cluster),
        _allow("Warnings", ("sqs:DeleteMessage", "sqs:GetQueueUrl", "sqs:ReceiveMessage"), rights.queue_arn),
        _allow("ReadWarnings", ("kms:Decrypt",), rights.key_arn),
    ]


def _ec2(rights: Rights, kind: str) -> str:
    return f"arn:{partition(rights.region)}:ec2:{rights.region}:*:{kind}/*"


def _of_account(start: str, rights: Rights, rest: str) -> pulumi.Output[str]:
    return pulumi.Output.concat(start, rights.account, ":", rest)


def _wanted(rights: Rights) -> dict[str, object]:
    return {
        f"aws:RequestTag/kubernetes.io/cluster/{rights.cluster}": "owned",
        "aws:RequestTag/eks:eks-cluster-name": rights.cluster,
    }


def _requested(rights: Rights, kind: str, *, regional: bool = False) -> Condition:
    """Only with the tags of this cluster on what is made."""
    where: dict[str, object] = {"aws:RequestTag/topology.kubernetes.io/region": rights.region} if regional else {}
    return {"StringEquals": {**_wanted(rights), **where}, "StringLike": {f"aws:RequestTag/{kind}": "*"}}


def _owned(rights: Rights, kind: str, *, regional: bool = False) -> Condition:
    """Only what carries the tags of this cluster."""
    where: dict[str, object] = {"aws:ResourceTag/topology.kubernetes.io/region": rights.region} if regional else {}
    tag = f"aws:ResourceTag/kubernetes.io/cluster/{rights.cluster}"
    return {"StringEquals": {tag: "owned", **where}, "StringLike": {f"aws:ResourceTag/{kind}": "*"}}


def _merged(one: Condition, other: Condition) -> Condition:
    return {test: {**one.get(test, {}), **other.get(test, {})} for test in {**one, **other}}


def _allow(
    sid: str,
    actions: Sequence[str],
    resources: pulumi.Input[str] | Sequence[pulumi.Input[str]],
    condition: Condition | None = None,
) -> Statement:
    statement: Statement = {"Sid": sid, "Effect": "Allow", "Action": list(actions), "Resource": resources}
    return {**statement, "Condition": condition} if condition else statement
