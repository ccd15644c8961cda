"""AWS IAM: policy documents, roles, their trust and their rights."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, TypeAlias

import pulumi
import pulumi_aws as aws

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PARTITIONS: Final = (("cn-", "aws-cn"), ("us-gov-", "aws-us-gov"))
POD_IDENTITY: Final = "pods.eks.amazonaws.com"
NO_TLS: Final = {"Bool": {"aws:SecureTransport": "false"}}

Statement: TypeAlias = "dict[str, object]"
Condition: TypeAlias = "Mapping[str, Mapping[str, object]]"


def partition(region: str) -> str:
    """The partition of a region, first part of every ARN, from the region's name without an API call."""
    return next((name for prefix, name in PARTITIONS if region.startswith(prefix)), "aws")


def find_account(*, parent: pulumi.Resource) -> pulumi.Output[str]:
    return aws.get_caller_identity_output(opts=pulumi.InvokeOutputOptions(parent=parent)).account_id


def build_statement(
    actions: str | Sequence[str],
    resources: pulumi.Input[str] | Sequence[pulumi.Input[str]] | None = None,
    *,
    sid: str = "",
    effect: str = "Allow",
    principal: str | Mapping[str, object] = "",
    condition: Condition | None = None,
) -> Statement:
    parts: Statement = {
        "Sid": sid,
        "Effect": effect,
        "Principal": principal,
        "Action": actions if isinstance(actions, str) else list(actions),
        "Resource": resources,
        "Condition": condition,
    }
    return {name: part for name, part in parts.items() if part is not None and part != ""}


def build_document(*statements: Statement) -> pulumi.Output[str]:
    """A policy document as JSON; parts of it may be known only after creation."""
    return pulumi.Output.json_dumps({"Version": "2012-10-17", "Statement": list(statements)})


def trust_service(service: str) -> str:
    """Trust policy for one AWS service."""
    # EKS Pod Identity tags the session of each pod, and fails where it may not.
    actions = ["sts:AssumeRole", "sts:TagSession"] if service == POD_IDENTITY else ["sts:AssumeRole"]
    statement = build_statement(actions, principal={"Service": service})
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def trust_account(region: str, *, parent: pulumi.Resource) -> pulumi.Output[str]:
    """Trust policy for every principal whom the account's IAM allows to assume the role."""
    root = pulumi.Output.concat(f"arn:{partition(region)}:iam::", find_account(parent=parent), ":root")
    return build_document(build_statement("sts:AssumeRole", principal={"AWS": root}))


def create_role(
    name: str, *, trust: pulumi.Input[str], parent: pulumi.Resource, shown: str | None = None
) -> aws.iam.Role:
    """A role without rights.

    Args:
        shown: its physical name, where it must be known before the role is created.
    """
    return aws.iam.Role(name, name=shown, assume_role_policy=trust, opts=pulumi.ResourceOptions(parent=parent))


def grant(role: aws.iam.Role, name: str, document: pulumi.Input[str]) -> pulumi.Resource:
    """Rights of a role; resources that use the role wait for them."""
    return aws.iam.RolePolicy(name, role=role.id, policy=document, opts=pulumi.ResourceOptions(parent=role))


def attach(role: aws.iam.Role, *, name: str, managed: Sequence[str], region: str) -> list[pulumi.Resource]:
    """AWS-managed policies, each named by its path ("AmazonEKSClusterPolicy").

    Resources that use the role wait for them, so that it has its rights from their creation to their deletion.
    """
    return [
        aws.iam.RolePolicyAttachment(
            f"{name}-{policy.rpartition('/')[2]}",
            role=role.name,
            policy_arn=f"arn:{partition(region)}:iam::aws:policy/{policy}",
            opts=pulumi.ResourceOptions(parent=role),
        )
        for policy in managed
    ]


def associate(
    name: str,
    role: aws.iam.Role,
    service_account: tuple[str, str],
    *,
    cluster_name: pulumi.Input[str],
    parent: pulumi.Resource,
) -> pulumi.Resource:
    """Lets a service account (namespace, name) assume a role by EKS Pod Identity."""
    return aws.eks.PodIdentityAssociation(
        name,
        cluster_name=cluster_name,
        namespace=service_account[0],
        service_account=service_account[1],
        role_arn=role.arn,
        opts=pulumi.ResourceOptions(parent=parent),
    )


def create_pod_role(
    name: str,
    *,
    service_account: tuple[str, str],
    cluster_name: pulumi.Input[str],
    policies: Mapping[str, pulumi.Input[str]],
    parent: pulumi.Resource,
) -> tuple[aws.iam.Role, list[pulumi.Resource]]:
    """A role that one service account assumes by EKS Pod Identity; the role, and what its pods must start after.

    Args:
        service_account: namespace and name.
        policies: JSON documents by name.
    """
    role = create_role(name, trust=trust_service(POD_IDENTITY), parent=parent)
    rights = [grant(role, f"{name}-{each}", document) for each, document in policies.items()]
    return role, [*rights, associate(name, role, service_account, cluster_name=cluster_name, parent=parent)]
