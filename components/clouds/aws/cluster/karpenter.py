"""Karpenter on AWS: starts the nodes that pods wait for, ends idle ones, and repairs broken ones.

Its policies are those of release 1.14 (karpenter.sh/v1.14/reference/cloudformation), and the key of the queue.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as kubernetes  # noqa: TC002 - Pulumi reads the annotations of components

from components.clouds.aws.account.iam import (
    NO_TLS,
    build_document,
    build_statement,
    create_pod_role,
    find_account,
    partition,
)
from components.platform.building_blocks.chart import release_cluster_chart

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.clouds.aws.account.iam import Condition, Statement
    from components.clouds.aws.cluster.context import ClusterContext


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
class KarpenterPolicyScope:
    cluster: str
    region: str
    account: pulumi.Input[str]
    node_role_arn: pulumi.Input[str]
    queue_arn: pulumi.Input[str]
    key_arn: pulumi.Input[str]


def build_machine_statements(rights: KarpenterPolicyScope) -> list[Statement]:
    """Start, tag and end machines; every statement but the first requires the cluster's tag."""
    made = [_ec2(rights, kind) for kind in MADE]
    template = _ec2(rights, "launch-template")
    images = [f"arn:{partition(rights.region)}:ec2:{rights.region}::{kind}/*" for kind in ("image", "snapshot")]
    create: Condition = {
        **_require_request_tags(rights, ANY_POOL),
        "StringEquals": {
            **_build_request_tags(rights),
            "ec2:CreateAction": ["RunInstances", "CreateFleet", "CreateLaunchTemplate"],
        },
    }
    rename: Condition = {
        **_require_owner_tags(rights, ANY_POOL),
        "StringEqualsIfExists": {"aws:RequestTag/eks:eks-cluster-name": rights.cluster},
        "ForAllValues:StringEquals": {"aws:TagKeys": ["eks:eks-cluster-name", "karpenter.sh/nodeclaim", "Name"]},
    }
    return [
        _allow("Use", START, [*images, *(_ec2(rights, kind) for kind in USED)]),
        _allow("UseTemplates", START, template, _require_owner_tags(rights, ANY_POOL)),
        _allow("Start", (*START, "ec2:CreateLaunchTemplate"), made, _require_request_tags(rights, ANY_POOL)),
        _allow("TagNew", ("ec2:CreateTags",), made, create),
        _allow("TagOwn", ("ec2:CreateTags",), _ec2(rights, "instance"), rename),
        _allow(
            "End",
            ("ec2:TerminateInstances", "ec2:DeleteLaunchTemplate"),
            [_ec2(rights, "instance"), template],
            _require_owner_tags(rights, ANY_POOL),
        ),
    ]


def build_identity_statements(rights: KarpenterPolicyScope) -> list[Statement]:
    """Manage its instance profiles with the nodes' role, and create the role that EC2 needs for spot."""
    iam = f"arn:{partition(rights.region)}:iam::"
    profiles = _of_account(iam, rights, "instance-profile/*")
    spot = _of_account(iam, rights, "role/aws-service-role/spot.amazonaws.com/AWSServiceRoleForEC2Spot")
    own = _require_owner_tags(rights, ANY_CLASS, regional=True)
    new = _require_request_tags(rights, ANY_CLASS, regional=True)
    to_ec2: Condition = {"StringEquals": {"iam:PassedToService": ["ec2.amazonaws.com", "ec2.amazonaws.com.cn"]}}
    for_spot: Condition = {"StringEquals": {"iam:AWSServiceName": "spot.amazonaws.com"}}
    change = ("iam:AddRoleToInstanceProfile", "iam:RemoveRoleFromInstanceProfile", "iam:DeleteInstanceProfile")
    return [
        _allow("PassRole", ("iam:PassRole",), rights.node_role_arn, to_ec2),
        _allow("NewProfiles", ("iam:CreateInstanceProfile",), profiles, new),
        _allow("TagProfiles", ("iam:TagInstanceProfile",), profiles, _merge_conditions(own, new)),
        _allow("OwnProfiles", change, profiles, own),
        _allow("SeeProfiles", ("iam:GetInstanceProfile",), profiles),
        _allow("SpotRole", ("iam:CreateServiceLinkedRole",), spot, for_spot),
    ]


def build_read_statements(rights: KarpenterPolicyScope) -> list[Statement]:
    """Read machine types and prices, the cluster, and interruption warnings."""
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


def _ec2(rights: KarpenterPolicyScope, kind: str) -> str:
    return f"arn:{partition(rights.region)}:ec2:{rights.region}:*:{kind}/*"


def _of_account(start: str, rights: KarpenterPolicyScope, rest: str) -> pulumi.Output[str]:
    return pulumi.Output.concat(start, rights.account, ":", rest)


def _build_request_tags(rights: KarpenterPolicyScope) -> dict[str, object]:
    return {
        f"aws:RequestTag/kubernetes.io/cluster/{rights.cluster}": "owned",
        "aws:RequestTag/eks:eks-cluster-name": rights.cluster,
    }


def _require_request_tags(rights: KarpenterPolicyScope, kind: str, *, regional: bool = False) -> Condition:
    """Condition: a new resource gets the tags of this cluster."""
    where: dict[str, object] = {"aws:RequestTag/topology.kubernetes.io/region": rights.region} if regional else {}
    return {"StringEquals": {**_build_request_tags(rights), **where}, "StringLike": {f"aws:RequestTag/{kind}": "*"}}


def _require_owner_tags(rights: KarpenterPolicyScope, kind: str, *, regional: bool = False) -> Condition:
    """Condition: a resource has the tags of this cluster."""
    where: dict[str, object] = {"aws:ResourceTag/topology.kubernetes.io/region": rights.region} if regional else {}
    tag = f"aws:ResourceTag/kubernetes.io/cluster/{rights.cluster}"
    return {"StringEquals": {tag: "owned", **where}, "StringLike": {f"aws:ResourceTag/{kind}": "*"}}


def _merge_conditions(one: Condition, other: Condition) -> Condition:
    return {test: {**one.get(test, {}), **other.get(test, {})} for test in {**one, **other}}


def _allow(
    sid: str,
    actions: Sequence[str],
    resources: pulumi.Input[str] | Sequence[pulumi.Input[str]],
    condition: Condition | None = None,
) -> Statement:
    return build_statement(actions, resources, sid=sid, condition=condition)


NAMESPACE: Final = "kube-system"  # the catalog's, where the API server serves it first (karpenter.sh, getting started)
ACCOUNT: Final = "karpenter"
KEPT_SECONDS: Final = 300  # older warnings are useless
# Events about machines that will be interrupted or have stopped (karpenter.sh/v1.14/reference/cloudformation).
WARNINGS: Final[Mapping[str, tuple[str, str]]] = {
    "health": ("aws.health", "AWS Health Event"),
    "spot": ("aws.ec2", "EC2 Spot Instance Interruption Warning"),
    "rebalance": ("aws.ec2", "EC2 Instance Rebalance Recommendation"),
    "state": ("aws.ec2", "EC2 Instance State-change Notification"),
    "reservation": ("aws.ec2", "EC2 Capacity Reservation Instance Interruption Warning"),
}


@final
class Autoscaler(pulumi.ComponentResource):
    """Karpenter on the system nodes, with its role and a queue of interruption warnings.

    Attributes:
        role: a policy that denies it machines stops new nodes.
        running: node pools wait for it.
    """

    role: aws.iam.Role
    running: kubernetes.helm.v3.Release

    def __init__(
        self, name: str, here: ClusterContext, *, inside: kubernetes.Provider, opts: pulumi.ResourceOptions
    ) -> None:
        super().__init__("atoll:cluster:Autoscaler", name, here.site.describe(), opts)
        queue, fillers = _create_queue(key_arn=here.key.arn, parent=self)
        scope = KarpenterPolicyScope(
            cluster=here.cluster.name,
            region=here.region,
            account=find_account(parent=self),
            node_role_arn=here.cluster.node_role.arn,
            queue_arn=queue.arn,
            key_arn=here.key.arn,
        )
        self.role, rights = create_pod_role(
            "karpenter",
            service_account=(NAMESPACE, ACCOUNT),
            cluster_name=here.cluster.resource.name,
            policies={
                "machines": build_document(*build_machine_statements(scope)),
                "rest": build_document(*build_identity_statements(scope), *build_read_statements(scope)),
            },
            parent=self,
        )
        # CRDs are created first and destroyed last, so that Karpenter still ends machines while node pools are deleted.
        within = pulumi.ResourceOptions(parent=self, provider=inside)
        definitions = release_cluster_chart("karpenter_crd", site=here.site, opts=within)
        after = pulumi.ResourceOptions(depends_on=[definitions, *fillers, *rights])
        self.running = release_cluster_chart(
            "karpenter",
            values=_build_values(here, queue=queue),
            site=here.site,
            skip_crds=True,
            opts=pulumi.ResourceOptions.merge(within, after),
        )
        self.register_outputs({"role": self.role.arn})


def _create_queue(*, key_arn: pulumi.Input[str], parent: Autoscaler) -> tuple[aws.sqs.Queue, list[pulumi.Resource]]:
    """The queue, which only EventBridge fills, over TLS only; and the rules that fill it."""
    queue = aws.sqs.Queue(
        "interruptions",
        message_retention_seconds=KEPT_SECONDS,
        kms_master_key_id=key_arn,
        opts=pulumi.ResourceOptions(parent=parent),
    )
    inside = pulumi.ResourceOptions(parent=queue)
    senders = {"Service": ["events.amazonaws.com", "sqs.amazonaws.com"]}
    send = build_statement("sqs:SendMessage", queue.arn, sid="Send", principal=senders)
    refuse = build_statement("sqs:*", queue.arn, sid="TlsOnly", effect="Deny", principal="*", condition=NO_TLS)
    policy = build_document(send, refuse)
    fillers: list[pulumi.Resource] = [
        aws.sqs.QueuePolicy("interruptions", queue_url=queue.id, policy=policy, opts=inside)
    ]
    for name, (source, kind) in WARNINGS.items():
        pattern = json.dumps({"source": [source], "detail-type": [kind]})
        rule = aws.cloudwatch.EventRule(name, event_pattern=pattern, opts=inside)
        fillers.append(aws.cloudwatch.EventTarget(name, rule=rule.name, arn=queue.arn, opts=inside))
    return queue, fillers


def _build_values(here: ClusterContext, *, queue: aws.sqs.Queue) -> dict[str, object]:
    requests = {"cpu": "500m", "memory": "1Gi"}
    return {
        "settings": {
            "clusterName": here.cluster.name,
            "interruptionQueue": queue.name,
            "featureGates": {"nodeRepair": True},
        },
        "serviceAccount": {"name": ACCOUNT},
        "nodeSelector": {"kubernetes.io/os": "linux", "atoll/role": "system"},
        "controller": {
            "env": [{"name": "AWS_REGION", "value": here.region}],  # pods cannot read the node's metadata
            "resources": {"requests": requests, "limits": {"memory": requests["memory"]}},
        },
    }
