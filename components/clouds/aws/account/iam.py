"""IAM roles of AWS: who may take one, and what it may do."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_aws as aws

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PARTITIONS: Final = (("cn-", "aws-cn"), ("us-gov-", "aws-us-gov"))
POD_IDENTITY: Final = "pods.eks.amazonaws.com"


def partition(region: str) -> str:
    """The partition of a region, first part of every ARN: known from its name, so that it need not be asked."""
    return next((name for prefix, name in PARTITIONS if region.startswith(prefix)), "aws")


def service_trust(service: str) -> str:
    """Trust policy for one AWS service; pods get their session tags too."""
    actions = ["sts:AssumeRole", "sts:TagSession"] if service == POD_IDENTITY else ["sts:AssumeRole"]
    return json.dumps(
        {
            "Version": "2012-10-17",
            "Statement": [{"Effect": "Allow", "Principal": {"Service": service}, "Action": actions}],
        }
    )


def role(
    name: str,
    *,
    trust: pulumi.Input[str],
    parent: pulumi.Resource,
    shown: str | None = None,
) -> aws.iam.Role:
    """A role without rights.

    Args:
        shown: the name AWS shows, where something must name the role before it is there.
    """
    return aws.iam.Role(name, name=shown, assume_role_policy=trust, opts=pulumi.ResourceOptions(parent=parent))


def attach(made: aws.iam.Role, *, name: str, managed: Sequence[str], region: str) -> list[pulumi.Resource]:
    """AWS-managed policies, each named by its path ("AmazonEKSClusterPolicy").

    Whatever acts by the role waits for them, so that they are there when it starts and still there when it is deleted.
    """
    return [
        aws.iam.RolePolicyAttachment(
            f"{name}-{policy.rpartition('/')[2]}",
            role=made.name,
            policy_arn=f"arn:{partition(region)}:iam::aws:policy/{policy}",
            opts=pulumi.ResourceOptions(parent=made),
        )
        for policy in managed
    ]


def pod_role(
    name: str,
    *,
    service_account: tuple[str, str],
    cluster_name: pulumi.Input[str],
    policies: Mapping[str, pulumi.Input[str]],
    parent: pulumi.Resource,
) -> tuple[aws.iam.Role, list[pulumi.Resource]]:
    """A role that one service account takes by pod identity; the role, and what must be there before its pods start.

    Args:
        service_account: namespace and name.
        policies: JSON documents by name.
    """
    made = role(name, trust=service_trust(POD_IDENTITY), parent=parent)
    inside = pulumi.ResourceOptions(parent=made)
    rights: list[pulumi.Resource] = [
        aws.iam.RolePolicy(f"{name}-{each}", role=made.id, policy=document, opts=inside)
        for each, document in policies.items()
    ]
    taken = aws.eks.PodIdentityAssociation(
        name,
        cluster_name=cluster_name,
        namespace=service_account[0],
        service_account=service_account[1],
        role_arn=made.arn,
        opts=pulumi.ResourceOptions(parent=parent),
    )
    return made, [*rights, taken]


def document(statements: Sequence[Mapping[str, object]]) -> pulumi.Output[str]:
    """A policy document as JSON; parts of it may be known only after creation."""
    return pulumi.Output.json_dumps({"Version": "2012-10-17", "Statement": list(statements)})
