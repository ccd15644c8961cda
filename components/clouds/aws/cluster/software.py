"""What runs in a cluster on AWS before anything else does: add-ons, Karpenter, and the load balancers' controller."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pulumi
import pulumi_aws as aws

from components.clouds.aws.account.budget import Budget, BudgetArgs
from components.clouds.aws.cluster.addons import BEFORE_NODES, AddOns, AddOnsArgs, on_nodes
from components.clouds.aws.cluster.karpenter import Autoscaler, AutoscalerArgs
from components.clouds.aws.cluster.load_balancers import LoadBalancers, LoadBalancersArgs
from components.context.naming import tags

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pulumi_kubernetes as kubernetes

    from components.clouds.aws.cluster.context import Ground


@dataclass(frozen=True, kw_only=True)
class Software:
    """What later parts wait for."""

    autoscaler: Autoscaler | None
    ready: Sequence[pulumi.Resource]


def before_nodes(ground: Ground) -> AddOns:
    """Add-ons that nodes need to become ready."""
    args = AddOnsArgs(
        cluster_name=ground.cluster.resource.name, region=ground.spec.placement.region, add_ons=BEFORE_NODES
    )
    return AddOns("add-ons-before-nodes", args, opts=ground.options())


def after_nodes(ground: Ground, *, nodes: Sequence[pulumi.Resource]) -> AddOns:
    """Add-ons that run on the system's nodes."""
    items = {tier.item for tier in ground.spec.storage}
    args = AddOnsArgs(
        cluster_name=ground.cluster.resource.name,
        region=ground.spec.placement.region,
        add_ons=on_nodes(items, tags=tags(ground.spec)),
    )
    return AddOns("add-ons-on-nodes", args, opts=ground.options(depends_on=nodes))


def software(ground: Ground, inside: kubernetes.Provider, *, elastic: bool) -> Software:
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


def _autoscaler(ground: Ground, inside: kubernetes.Provider) -> Autoscaler:
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


def watch_ceiling(ground: Ground, *, autoscaler: Autoscaler | None) -> None:
    """A budget in the account, where the stack has a ceiling per month."""
    usd = ground.site.ceiling_usd_per_month
    if usd is None:
        return
    args = BudgetArgs(
        placement=ground.spec.placement,
        usd_per_month=usd,
        email=ground.spec.customer.owner,
        autoscaler=None if autoscaler is None else autoscaler.role,
    )
    Budget("budget", args, opts=ground.options())
