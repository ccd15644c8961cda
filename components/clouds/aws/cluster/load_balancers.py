"""The controller that makes network load balancers on AWS for services of our class, and deletes them again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi

from components.clouds.aws.account.iam import document, partition, pod_role
from components.platform.building_blocks.chart import release_cluster_chart

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pulumi_kubernetes as kubernetes

    from components.context.placement import PlacementContext
    from planning.spec.cluster import Placement

NAME: Final = "aws-load-balancer-controller"
NAMESPACE: Final = "kube-system"
CLASS: Final = "service.k8s.aws/nlb"
OURS: Final = "elbv2.k8s.aws/cluster"  # tag by which the controller knows its own
# Rights: what network load balancers need of docs/install/iam_policy.json (kubernetes-sigs/aws-load-balancer-controller
# at 225f4456, 2026-08-17), on this cluster's own only.
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


@dataclass(frozen=True, kw_only=True)
class LoadBalancersArgs:
    """Which cluster it serves.

    Args:
        cluster_name: plain.
        cluster: the same once it is there.
        node_group: id of the security group of the nodes, which it opens to its load balancers.
        inside: the cluster.
        tags: of everything it makes.
    """

    placement: Placement
    cluster_name: str
    cluster: pulumi.Input[str]
    vpc_id: pulumi.Input[str]
    node_group: pulumi.Input[str]
    account: pulumi.Input[str]
    inside: kubernetes.Provider
    tags: Mapping[str, str]
    site: PlacementContext


@final
class LoadBalancers(pulumi.ComponentResource):
    """The controller on the system nodes. Services wait for it, so that they are gone before it is.

    It serves network load balancers only: no ingress class, nothing of WAF or Shield, and services must name its class.
    """

    def __init__(self, name: str, args: LoadBalancersArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        facts = {"provider": args.placement.provider, "region": args.placement.region}
        super().__init__("atoll:cluster:LoadBalancers", name, facts, opts)
        _, rights = pod_role(
            "load-balancers",
            service_account=(NAMESPACE, NAME),
            cluster_name=args.cluster,
            policies={"balancers": document(_rights(args))},
            parent=self,
        )
        release_cluster_chart(
            "aws_load_balancer_controller",
            values=_values(args),
            site=args.site,
            opts=pulumi.ResourceOptions(parent=self, provider=args.inside, depends_on=rights),
        )
        self.register_outputs({})


def _rights(args: LoadBalancersArgs) -> list[dict[str, object]]:
    """Everything it makes carries the cluster's tag, and only what carries it may be changed."""
    requested = {"StringEquals": {f"aws:RequestTag/{OURS}": args.cluster_name}}
    owned = {"StringEquals": {f"aws:ResourceTag/{OURS}": args.cluster_name}}
    arn = f"arn:{partition(args.placement.region)}"
    ec2 = pulumi.Output.concat(f"{arn}:ec2:{args.placement.region}:", args.account)
    groups = pulumi.Output.concat(ec2, ":security-group/*")
    nodes = pulumi.Output.concat(ec2, ":security-group/", args.node_group)
    vpc = pulumi.Output.concat(ec2, ":vpc/", args.vpc_id)
    certificates = pulumi.Output.concat(f"{arn}:acm:{args.placement.region}:", args.account, ":certificate/*")
    role = f"{arn}:iam::*:role/aws-service-role/elasticloadbalancing.amazonaws.com/*"
    service = {"StringEquals": {"iam:AWSServiceName": "elasticloadbalancing.amazonaws.com"}}
    tagged = {"StringEquals": {**requested["StringEquals"], "ec2:CreateAction": "CreateSecurityGroup"}}
    balancers = f"{arn}:elasticloadbalancing:{args.placement.region}:*:*"
    created = {
        "StringEquals": {
            **requested["StringEquals"],
            "elasticloadbalancing:CreateAction": ["CreateLoadBalancer", "CreateTargetGroup", "CreateListener"],
        }
    }
    return [
        {"Effect": "Allow", "Action": list(SEE), "Resource": "*"},
        {"Effect": "Allow", "Action": "ec2:GetSecurityGroupsForVpc", "Resource": vpc},
        {"Effect": "Allow", "Action": "acm:DescribeCertificate", "Resource": certificates},
        {"Effect": "Allow", "Action": "iam:CreateServiceLinkedRole", "Resource": role, "Condition": service},
        {"Effect": "Allow", "Action": list(MAKE), "Resource": balancers, "Condition": requested},
        {"Effect": "Allow", "Action": "elasticloadbalancing:AddTags", "Resource": balancers, "Condition": created},
        {"Effect": "Allow", "Action": list(CHANGE), "Resource": balancers, "Condition": owned},
        {"Effect": "Allow", "Action": "ec2:CreateSecurityGroup", "Resource": vpc},
        {"Effect": "Allow", "Action": "ec2:CreateSecurityGroup", "Resource": groups, "Condition": requested},
        {"Effect": "Allow", "Action": "ec2:CreateTags", "Resource": groups, "Condition": tagged},
        {
            "Effect": "Allow",
            "Action": [*RULES, "ec2:DeleteSecurityGroup", "ec2:CreateTags", "ec2:DeleteTags"],
            "Resource": groups,
            "Condition": owned,
        },
        {"Effect": "Allow", "Action": list(RULES), "Resource": nodes},
    ]


def _values(args: LoadBalancersArgs) -> dict[str, object]:
    return {
        "clusterName": args.cluster_name,
        "region": args.placement.region,
        "vpcId": args.vpc_id,
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
        "defaultTags": dict(args.tags),
    }
