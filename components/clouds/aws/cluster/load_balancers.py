"""AWS Load Balancer Controller: creates and deletes network load balancers for services of our class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import pulumi

from components.clouds.aws.account.iam import (
    build_document,
    build_statement,
    create_pod_role,
    find_account,
    partition,
)
from components.context.naming import tags
from components.platform.building_blocks.chart import release_cluster_chart

if TYPE_CHECKING:
    import pulumi_kubernetes as kubernetes

    from components.clouds.aws.account.iam import Statement
    from components.clouds.aws.cluster.context import ClusterContext

NAME: Final = "aws-load-balancer-controller"
NAMESPACE: Final = "kube-system"
CLASS: Final = "service.k8s.aws/nlb"
OURS: Final = "elbv2.k8s.aws/cluster"  # the controller's tag on its resources
# Rights: the subset for network load balancers of docs/install/iam_policy.json, limited to this cluster
# (kubernetes-sigs/aws-load-balancer-controller at 225f4456, 2026-08-17).
SEE: Final = (
    "ec2:DescribeAccountAttributes",
    "ec2:DescribeAddresses",
    "ec2:DescribeAvailabilityZones",
    "ec2:DescribeInstances",
    "ec2:DescribeInternetGateways",
    "ec2:DescribeNetworkInterfaces",
    "ec2:DescribeRouteTables",
    "ec2:DescribeSecurityGroups",
    "ec2:DescribeSubnets",
    "ec2:DescribeTags",
    "ec2:DescribeVpcPeeringConnections",
    "ec2:DescribeVpcs",
    "elasticloadbalancing:Describe*",
    "acm:ListCertificates",
)
MAKE: Final = (
    "elasticloadbalancing:CreateLoadBalancer",
    "elasticloadbalancing:CreateTargetGroup",
    "elasticloadbalancing:CreateListener",
)
CHANGE: Final = (
    "elasticloadbalancing:AddListenerCertificates",
    "elasticloadbalancing:AddTags",
    "elasticloadbalancing:CreateListener",
    "elasticloadbalancing:DeleteListener",
    "elasticloadbalancing:DeleteLoadBalancer",
    "elasticloadbalancing:DeleteTargetGroup",
    "elasticloadbalancing:DeregisterTargets",
    "elasticloadbalancing:ModifyListener",
    "elasticloadbalancing:ModifyListenerAttributes",
    "elasticloadbalancing:ModifyLoadBalancerAttributes",
    "elasticloadbalancing:ModifyTargetGroup",
    "elasticloadbalancing:ModifyTargetGroupAttributes",
    "elasticloadbalancing:RegisterTargets",
    "elasticloadbalancing:RemoveListenerCertificates",
    "elasticloadbalancing:RemoveTags",
    "elasticloadbalancing:SetIpAddressType",
    "elasticloadbalancing:SetSecurityGroups",
    "elasticloadbalancing:SetSubnets",
)
RULES: Final = ("ec2:AuthorizeSecurityGroupIngress", "ec2:RevokeSecurityGroupIngress")


@final
class LoadBalancers(pulumi.ComponentResource):
    """The controller on the system nodes. Services wait for it, so that they are deleted before it.

    It serves network load balancers only: no ingress class, no WAF or Shield, and services must name its class.
    """

    def __init__(
        self, name: str, here: ClusterContext, *, inside: kubernetes.Provider, opts: pulumi.ResourceOptions
    ) -> None:
        super().__init__("atoll:cluster:LoadBalancers", name, here.site.describe(), opts)
        _, rights = create_pod_role(
            "load-balancers",
            service_account=(NAMESPACE, NAME),
            cluster_name=here.cluster.resource.name,
            policies={"balancers": build_document(*_build_statements(here, account=find_account(parent=here.key)))},
            parent=self,
        )
        release_cluster_chart(
            "aws_load_balancer_controller",
            values={
                "clusterName": here.cluster.name,
                "region": here.region,
                "vpcId": here.network.vpc_id,
                "serviceAccount": {"name": NAME},
                "nodeSelector": {"atoll/role": "system"},
                "resources": {"requests": {"cpu": "50m", "memory": "128Mi"}, "limits": {"memory": "512Mi"}},
                "createIngressClassResource": False,
                "ingressClassParams": {"create": False},
                "enableServiceMutatorWebhook": False,
                "enableShield": False,
                "enableWaf": False,
                "enableWafv2": False,
                "keepTLSSecret": True,
                "defaultTags": tags(here.spec),
            },
            site=here.site,
            opts=pulumi.ResourceOptions(parent=self, provider=inside, depends_on=rights),
        )
        self.register_outputs({})


def _build_statements(here: ClusterContext, *, account: pulumi.Output[str]) -> list[Statement]:
    """It tags everything that it creates, and may change only what has the cluster's tag."""
    requested = {f"aws:RequestTag/{OURS}": here.cluster.name}
    owned = {"StringEquals": {f"aws:ResourceTag/{OURS}": here.cluster.name}}
    only_new = {"StringEquals": requested}
    arn, region = f"arn:{partition(here.region)}", here.region
    ec2 = pulumi.Output.concat(f"{arn}:ec2:{region}:", account)
    groups = pulumi.Output.concat(ec2, ":security-group/*")
    # There it edits rules, to admit its load balancers.
    nodes = pulumi.Output.concat(ec2, ":security-group/", here.cluster.security_group)
    vpc = pulumi.Output.concat(ec2, ":vpc/", here.network.vpc_id)
    certificates = pulumi.Output.concat(f"{arn}:acm:{region}:", account, ":certificate/*")
    role = f"{arn}:iam::*:role/aws-service-role/elasticloadbalancing.amazonaws.com/*"
    service = {"StringEquals": {"iam:AWSServiceName": "elasticloadbalancing.amazonaws.com"}}
    tagged = {"StringEquals": {**requested, "ec2:CreateAction": "CreateSecurityGroup"}}
    balancers = f"{arn}:elasticloadbalancing:{region}:*:*"
    kinds = ["CreateLoadBalancer", "CreateTargetGroup", "CreateListener"]
    created = {"StringEquals": {**requested, "elasticloadbalancing:CreateAction": kinds}}
    change_groups = (*RULES, "ec2:DeleteSecurityGroup", "ec2:CreateTags", "ec2:DeleteTags")
    return [
        build_statement(SEE, "*"),
        build_statement("ec2:GetSecurityGroupsForVpc", vpc),
        build_statement("acm:DescribeCertificate", certificates),
        build_statement("iam:CreateServiceLinkedRole", role, condition=service),
        build_statement(MAKE, balancers, condition=only_new),
        build_statement("elasticloadbalancing:AddTags", balancers, condition=created),
        build_statement(CHANGE, balancers, condition=owned),
        build_statement("ec2:CreateSecurityGroup", vpc),
        build_statement("ec2:CreateSecurityGroup", groups, condition=only_new),
        build_statement("ec2:CreateTags", groups, condition=tagged),
        build_statement(change_groups, groups, condition=owned),
        build_statement(RULES, nodes),
    ]
