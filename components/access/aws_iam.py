"""IAM roles of AWS: who may take one, and what it may do."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_aws as aws

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    name: str, *, trust: pulumi.Input[str], managed: Sequence[str] = (), region: str, parent: pulumi.Resource
) -> aws.iam.Role:
    """A role with AWS-managed policies attached, each named by its path ("AmazonEKSClusterPolicy")."""
    made = aws.iam.Role(name, assume_role_policy=trust, opts=pulumi.ResourceOptions(parent=parent))
    for policy in managed:
        aws.iam.RolePolicyAttachment(
            f"{name}-{policy.rpartition('/')[2]}",
            role=made.name,
            policy_arn=f"arn:{partition(region)}:iam::aws:policy/{policy}",
            opts=pulumi.ResourceOptions(parent=made),
        )
    return made
