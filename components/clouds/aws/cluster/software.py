"""What runs in a cluster on AWS before anything else does: add-ons, Karpenter, and the load balancers' controller."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_aws as aws

from components.clouds.aws.account.budget import BillingBudget, BillingBudgetArgs
from components.clouds.aws.account.iam import POD_IDENTITY, attach, document, role, service_trust
from components.clouds.aws.cluster.karpenter import Autoscaler, AutoscalerArgs
from components.clouds.aws.cluster.load_balancers import LoadBalancers, LoadBalancersArgs
from components.context.naming import tags

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import pulumi_kubernetes as kubernetes

    from components.clouds.aws.cluster.context import ClusterContext


@dataclass(frozen=True, kw_only=True)
class AddOn:
    """One add-on.

    Args:
        service_account: account that takes a role; "" where it needs none.
        policy: AWS-managed policy of its role.
        actions: what its role may do in the whole account, beside that policy.
        values: its configuration, by the add-on's own schema.
        after: add-on that must be there before.
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
ON_SYSTEM: Final = {"atoll/role": "system"}  # Karpenter's nodes come and go


def on_nodes(items: Collection[str], *, tags: Mapping[str, str]) -> tuple[AddOn, ...]:
    """Add-ons that run on nodes: names, disks, health, and a driver for each kind of file system of the storage tiers.

    Args:
        items: what prices the tiers, "shared_ssd" or "shared_disk" among others.
        tags: of the disks and file systems that the drivers make.
    """
    return (
        AddOn(name="coredns", values={"nodeSelector": ON_SYSTEM}),
        # Brings the definitions of snapshots, and needs no rights (docs.aws.amazon.com/eks/latest/userguide,
        # addons-csi-snapshot-controller and csi-snapshot-controller, 2026-11-21).
        AddOn(name=SNAPSHOTS),
        AddOn(
            name="aws-ebs-csi-driver",
            service_account="ebs-csi-controller-sa",
            policy="service-role/AmazonEBSCSIDriverPolicy",
            values={
                "controller": {"extraVolumeTags": dict(tags), "nodeSelector": ON_SYSTEM},
                "sidecars": {"snapshotter": {"forceEnable": True}},  # else off in a cluster of before
            },
            after=SNAPSHOTS,
        ),
        # Its watcher of GPUs tolerates no taint unless told to (aws/eks-node-monitoring-agent, chart values), and
        # a GPU that nobody watches is never repaired.
        AddOn(name="eks-node-monitoring-agent", values={"dcgmAgent": {"tolerations": [{"operator": "Exists"}]}}),
        *(driver for item, driver in DRIVERS.items() if item in items),
    )


# docs.aws.amazon.com/eks/latest/userguide: fsx-csi-create and efs-csi. Volumes of FSx are made by us, so its driver
# only looks; that of EFS makes an access point for each claim.
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
        made: dict[str, aws.eks.Addon] = {}
        for add_on in args.add_ons:
            before = [made[add_on.after]] if add_on.after else []
            made[add_on.name] = _install(add_on, args, before=before, parent=self)
        self.register_outputs({})


def _install(add_on: AddOn, args: AddOnsArgs, *, before: Sequence[pulumi.Resource], parent: AddOns) -> aws.eks.Addon:
    taken, rights = _identity(add_on, args, parent=parent) if add_on.service_account else (None, [])
    return aws.eks.Addon(
        add_on.name,
        addon_name=add_on.name,
        cluster_name=args.cluster_name,
        configuration_values=json.dumps(add_on.values) if add_on.values else None,
        pod_identity_associations=[taken] if taken else None,
        resolve_conflicts_on_create="OVERWRITE",
        resolve_conflicts_on_update="PRESERVE",
        opts=pulumi.ResourceOptions(parent=parent, depends_on=[*rights, *before]),
    )


def _identity(
    add_on: AddOn, args: AddOnsArgs, *, parent: AddOns
) -> tuple[aws.eks.AddonPodIdentityAssociationArgs, list[pulumi.Resource]]:
    """The add-on's role, and its rights, which the add-on must not outlive: a driver without them keeps its volumes."""
    own = role(add_on.name, trust=service_trust(POD_IDENTITY), parent=parent)
    managed = (add_on.policy,) if add_on.policy else ()
    rights = attach(own, name=add_on.name, managed=managed, region=args.region)
    if add_on.actions:
        allowed = document([{"Effect": "Allow", "Action": list(add_on.actions), "Resource": "*"}])
        inside = pulumi.ResourceOptions(parent=own)
        rights.append(aws.iam.RolePolicy(add_on.name, role=own.id, policy=allowed, opts=inside))
    return aws.eks.AddonPodIdentityAssociationArgs(role_arn=own.arn, service_account=add_on.service_account), rights


@dataclass(frozen=True, kw_only=True)
class Software:
    """What later parts wait for."""

    autoscaler: Autoscaler | None
    ready: Sequence[pulumi.Resource]


def before_nodes(ground: ClusterContext) -> AddOns:
    args = AddOnsArgs(
        cluster_name=ground.cluster.resource.name, region=ground.spec.placement.region, add_ons=BEFORE_NODES
    )
    return AddOns("add-ons-before-nodes", args, opts=ground.options())


def after_nodes(ground: ClusterContext, *, nodes: Sequence[pulumi.Resource]) -> AddOns:
    items = {tier.item for tier in ground.spec.storage}
    args = AddOnsArgs(
        cluster_name=ground.cluster.resource.name,
        region=ground.spec.placement.region,
        add_ons=on_nodes(items, tags=tags(ground.spec)),
    )
    return AddOns("add-ons-on-nodes", args, opts=ground.options(depends_on=nodes))


def software(ground: ClusterContext, inside: kubernetes.Provider, *, elastic: bool) -> Software:
    """Controllers that ask AWS for machines and load balancers: what they made goes while they live."""
    autoscaler = _autoscaler(ground, inside) if elastic else None
    balancers = LoadBalancers(
        "load-balancers",
        LoadBalancersArgs(
            placement=ground.spec.placement,
            cluster_name=ground.cluster.name,
            cluster=ground.cluster.resource.name,
            vpc_id=ground.network.vpc_id,
            node_group=ground.cluster.security_group,
            account=aws.get_caller_identity_output(opts=pulumi.InvokeOutputOptions(parent=ground.key)).account_id,
            inside=inside,
            tags=tags(ground.spec),
            site=ground.site,
        ),
        opts=ground.options(depends_on=[inside]),
    )
    return Software(autoscaler=autoscaler, ready=[balancers, *([autoscaler] if autoscaler else [])])


def _autoscaler(ground: ClusterContext, inside: kubernetes.Provider) -> Autoscaler:
    args = AutoscalerArgs(
        placement=ground.spec.placement,
        cluster_name=ground.cluster.name,
        cluster=ground.cluster.resource.name,
        node_role_arn=ground.cluster.node_role.arn,
        key_arn=ground.key.arn,
        inside=inside,
        site=ground.site,
    )
    return Autoscaler("autoscaler", args, opts=ground.options(depends_on=[inside]))


def watch_ceiling(ground: ClusterContext, *, autoscaler: Autoscaler | None) -> None:
    """A budget in the account, where the stack has a ceiling per month."""
    usd = ground.site.ceiling_usd_per_month
    if usd is None:
        return
    args = BillingBudgetArgs(
        placement=ground.spec.placement,
        usd_per_month=usd,
        email=ground.spec.customer.owner,
        autoscaler=None if autoscaler is None else autoscaler.role,
    )
    BillingBudget("budget", args, opts=ground.options())
