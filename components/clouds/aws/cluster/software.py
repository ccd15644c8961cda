"""Base software of a cluster on AWS: EKS add-ons, Karpenter, and the load balancer controller."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_aws as aws

from components.clouds.aws.account.budget import BillingBudget
from components.clouds.aws.account.iam import (
    POD_IDENTITY,
    attach,
    build_document,
    build_statement,
    create_role,
    grant,
    trust_service,
)
from components.clouds.aws.cluster.karpenter import Autoscaler
from components.clouds.aws.cluster.load_balancers import LoadBalancers
from components.context.naming import tags

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import pulumi_kubernetes as kubernetes

    from components.clouds.aws.cluster.context import ClusterContext


@dataclass(frozen=True, kw_only=True)
class AddOn:
    """One EKS add-on.

    Args:
        service_account: account that assumes a role; "" where it needs none.
        policy: AWS-managed policy of its role.
        actions: further actions of its role, on the whole account.
        values: its configuration, by the add-on's own schema.
        after: add-on that is installed before.
    """

    name: str
    service_account: str = ""
    policy: str = ""
    actions: tuple[str, ...] = ()
    values: dict[str, object] | None = None
    after: str = ""


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


SNAPSHOTS: Final = "snapshot-controller"
ON_SYSTEM: Final = {"atoll/role": "system"}  # Karpenter's nodes are temporary


# docs.aws.amazon.com/eks/latest/userguide: fsx-csi-create and efs-csi. We create the volumes of FSx, so its driver only
# reads; the EFS driver creates an access point for each claim.
DRIVERS: Final = {
    "shared_ssd": AddOn(
        name="aws-fsx-csi-driver",
        service_account="fsx-csi-controller-sa",
        actions=("fsx:DescribeFileSystems",),
    ),
    "shared_disk": AddOn(
        name="aws-efs-csi-driver",
        service_account="efs-csi-controller-sa",
        policy="service-role/AmazonEFSCSIDriverPolicy",
    ),
}


def list_add_ons_on_nodes(items: Collection[str], *, tags: Mapping[str, str]) -> tuple[AddOn, ...]:
    """Add-ons that run on nodes: DNS, disks, health, and a driver for each kind of file system of the storage tiers.

    Args:
        items: price items of the tiers, such as "shared_ssd".
        tags: of the disks and file systems that the drivers create.
    """
    return (
        AddOn(name="coredns", values={"nodeSelector": ON_SYSTEM}),
        # Installs the snapshot CRDs, and needs no rights (docs.aws.amazon.com/eks/latest/userguide,
        # addons-csi-snapshot-controller and csi-snapshot-controller, 2026-11-21).
        AddOn(name=SNAPSHOTS),
        AddOn(
            name="aws-ebs-csi-driver",
            service_account="ebs-csi-controller-sa",
            policy="service-role/AmazonEBSCSIDriverPolicy",
            values={
                "controller": {"extraVolumeTags": dict(tags), "nodeSelector": ON_SYSTEM},
                "sidecars": {"snapshotter": {"forceEnable": True}},  # off by default in an older cluster
            },
            after=SNAPSHOTS,
        ),
        # Its GPU monitor tolerates no taint by default (aws/eks-node-monitoring-agent, chart values), and an
        # unmonitored GPU is never repaired.
        AddOn(name="eks-node-monitoring-agent", values={"dcgmAgent": {"tolerations": [{"operator": "Exists"}]}}),
        *(driver for item, driver in DRIVERS.items() if item in items),
    )


@final
class AddOns(pulumi.ComponentResource):
    """Add-ons in EKS's default version for the cluster's Kubernetes version; roles by EKS Pod Identity."""

    def __init__(
        self, name: str, add_ons: Sequence[AddOn], here: ClusterContext, *, opts: pulumi.ResourceOptions
    ) -> None:
        super().__init__("atoll:cluster:AddOns", name, {"addOns": [each.name for each in add_ons]}, opts)
        installed: dict[str, aws.eks.Addon] = {}
        for add_on in add_ons:
            before = [installed[add_on.after]] if add_on.after else []
            installed[add_on.name] = _install(add_on, here, before=before, parent=self)
        self.register_outputs({})


def _install(
    add_on: AddOn, here: ClusterContext, *, before: Sequence[pulumi.Resource], parent: AddOns
) -> aws.eks.Addon:
    """The add-on, after its role and rights."""
    identities: list[aws.eks.AddonPodIdentityAssociationArgs] = []
    rights: list[pulumi.Resource] = []
    if add_on.service_account:
        role = create_role(add_on.name, trust=trust_service(POD_IDENTITY), parent=parent)
        managed = (add_on.policy,) if add_on.policy else ()
        rights += attach(role, name=add_on.name, managed=managed, region=here.region)
        if add_on.actions:
            rights.append(grant(role, add_on.name, build_document(build_statement(add_on.actions, "*"))))
        identities.append(
            aws.eks.AddonPodIdentityAssociationArgs(role_arn=role.arn, service_account=add_on.service_account)
        )
    return aws.eks.Addon(
        add_on.name,
        addon_name=add_on.name,
        cluster_name=here.cluster.resource.name,
        configuration_values=json.dumps(add_on.values) if add_on.values else None,
        pod_identity_associations=identities or None,
        resolve_conflicts_on_create="OVERWRITE",
        resolve_conflicts_on_update="PRESERVE",
        # A driver that outlives its rights cannot delete its volumes.
        opts=pulumi.ResourceOptions(parent=parent, depends_on=[*rights, *before]),
    )


def register_add_ons_before_nodes(here: ClusterContext) -> AddOns:
    return AddOns("add-ons-before-nodes", BEFORE_NODES, here, opts=here.options())


def register_add_ons_on_nodes(here: ClusterContext, *, nodes: Sequence[pulumi.Resource]) -> AddOns:
    add_ons = list_add_ons_on_nodes({tier.item for tier in here.spec.storage}, tags=tags(here.spec))
    return AddOns("add-ons-on-nodes", add_ons, here, opts=here.options(depends_on=nodes))


def register_controllers(
    here: ClusterContext, inside: kubernetes.Provider, *, elastic: bool
) -> tuple[Autoscaler | None, list[pulumi.Resource]]:
    """Controllers of machines and load balancers.

    Returns the autoscaler, None without elastic pools, and what later components wait for.
    """
    options = here.options(depends_on=[inside])
    # Destroyed after the machines and load balancers that they made, which only they delete.
    autoscaler = Autoscaler("autoscaler", here, inside=inside, opts=options) if elastic else None
    balancers = LoadBalancers("load-balancers", here, inside=inside, opts=options)
    return autoscaler, [balancers, *([autoscaler] if autoscaler else [])]


def watch_ceiling(here: ClusterContext, *, autoscaler: Autoscaler | None) -> None:
    usd = here.site.ceiling_usd_per_month
    if usd is not None:
        role = None if autoscaler is None else autoscaler.role
        BillingBudget("budget", here.site, usd_per_month=usd, autoscaler=role, opts=here.options())
