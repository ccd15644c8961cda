"""Add-ons of EKS: those that nodes need to become ready, and those that need nodes to run on."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_aws as aws

from components.access.aws_iam import POD_IDENTITY, role, service_trust

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, kw_only=True)
class AddOn:
    """One add-on.

    Args:
        service_account: account that takes the role; needed where `policy` is.
        policy: AWS-managed policy of its role.
        values: its configuration, by the add-on's own schema.
    """

    name: str
    service_account: str = ""
    policy: str = ""
    values: dict[str, object] | None = None


# Names, accounts and policies: docs.aws.amazon.com/eks/latest/userguide/workloads-add-ons-available-eks.html
BEFORE_NODES: Final = (
    AddOn(name="eks-pod-identity-agent"),
    AddOn(
        name="vpc-cni",
        service_account="aws-node",
        policy="AmazonEKS_CNI_Policy",
        values={"enableNetworkPolicy": "true"},
    ),
    AddOn(name="kube-proxy"),
)
ON_NODES: Final = (
    AddOn(name="coredns"),
    AddOn(
        name="aws-ebs-csi-driver",
        service_account="ebs-csi-controller-sa",
        policy="service-role/AmazonEBSCSIDriverPolicy",
    ),
    AddOn(name="eks-node-monitoring-agent"),
)


@dataclass(frozen=True, kw_only=True)
class AddOnsArgs:
    """Which add-ons, in which cluster."""

    cluster_name: pulumi.Input[str]
    region: str
    add_ons: Sequence[AddOn]


@final
class AddOns(pulumi.ComponentResource):
    """Add-ons in the version that EKS holds the default for the cluster's Kubernetes version.

    Roles come by pod identity, so that no node's role carries their rights.
    """

    def __init__(self, name: str, args: AddOnsArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:cluster:AddOns", name, {"addOns": [each.name for each in args.add_ons]}, opts)
        for add_on in args.add_ons:
            _install(add_on, args, parent=self)
        self.register_outputs({})


def _install(add_on: AddOn, args: AddOnsArgs, *, parent: AddOns) -> None:
    aws.eks.Addon(
        add_on.name,
        addon_name=add_on.name,
        cluster_name=args.cluster_name,
        configuration_values=json.dumps(add_on.values) if add_on.values else None,
        pod_identity_associations=[_identity(add_on, args, parent=parent)] if add_on.policy else None,
        resolve_conflicts_on_create="OVERWRITE",
        resolve_conflicts_on_update="PRESERVE",
        opts=pulumi.ResourceOptions(parent=parent),
    )


def _identity(add_on: AddOn, args: AddOnsArgs, *, parent: AddOns) -> aws.eks.AddonPodIdentityAssociationArgs:
    trust = service_trust(POD_IDENTITY)
    own = role(add_on.name, trust=trust, managed=(add_on.policy,), region=args.region, parent=parent)
    return aws.eks.AddonPodIdentityAssociationArgs(role_arn=own.arn, service_account=add_on.service_account)
