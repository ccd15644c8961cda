"""Karpenter on AWS: starts the nodes that pods wait for, ends idle ones, and repairs broken ones."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as kubernetes  # noqa: TC002 - Pulumi reads the annotations of components

from components.clouds.aws.account.iam import document, pod_role
from components.clouds.aws.cluster.karpenter_policy import Rights, identities, machines, views
from components.platform.building_blocks.chart import beneath

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.context.placement import Site
    from planning.spec.cluster import Placement

NAMESPACE: Final = "kube-system"  # the catalog's, where the API server serves it first (karpenter.sh, getting started)
ACCOUNT: Final = "karpenter"
KEPT_SECONDS: Final = 300  # a warning older than this is of no use
# What AWS tells of machines that will be taken away or have stopped (karpenter.sh/v1.14/reference/cloudformation).
WARNINGS: Final[Mapping[str, tuple[str, str]]] = {
    "health": ("aws.health", "AWS Health Event"),
    "spot": ("aws.ec2", "EC2 Spot Instance Interruption Warning"),
    "rebalance": ("aws.ec2", "EC2 Instance Rebalance Recommendation"),
    "state": ("aws.ec2", "EC2 Instance State-change Notification"),
    "reservation": ("aws.ec2", "EC2 Capacity Reservation Instance Interruption Warning"),
}


@dataclass(frozen=True, kw_only=True)
class AutoscalerArgs:
    """Which cluster it serves.

    Args:
        cluster_name: plain.
        cluster: the same once it is there.
        inside: the cluster.
    """

    placement: Placement
    cluster_name: str
    cluster: pulumi.Input[str]
    node_role_arn: pulumi.Input[str]
    key_arn: pulumi.Input[str]
    inside: kubernetes.Provider
    site: Site


@final
class Autoscaler(pulumi.ComponentResource):
    """Karpenter on the system nodes, with a role of its own, and a queue on which it hears of interruptions.

    Attributes:
        role: Karpenter's; whoever denies it something stops new nodes.
        running: what node pools wait for.
    """

    role: aws.iam.Role
    running: kubernetes.helm.v3.Release

    def __init__(self, name: str, args: AutoscalerArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        facts = {"provider": args.placement.provider, "region": args.placement.region}
        super().__init__("atoll:cluster:Autoscaler", name, facts, opts)
        queue, heard = _queue(args, parent=self)
        self.role, rights = pod_role(
            "karpenter",
            service_account=(NAMESPACE, ACCOUNT),
            cluster_name=args.cluster,
            policies=_policies(args, queue=queue, parent=self),
            parent=self,
        )
        self.running = _release(args, queue=queue, needs=[*heard, *rights], parent=self)
        self.register_outputs({"role": self.role.arn})


def _policies(args: AutoscalerArgs, *, queue: aws.sqs.Queue, parent: Autoscaler) -> dict[str, pulumi.Output[str]]:
    rights = Rights(
        cluster=args.cluster_name,
        region=args.placement.region,
        account=aws.get_caller_identity_output(opts=pulumi.InvokeOutputOptions(parent=parent)).account_id,
        node_role_arn=args.node_role_arn,
        queue_arn=queue.arn,
        key_arn=args.key_arn,
    )
    return {"machines": document(machines(rights)), "rest": document([*identities(rights), *views(rights)])}


def _queue(args: AutoscalerArgs, *, parent: Autoscaler) -> tuple[aws.sqs.Queue, list[pulumi.Resource]]:
    """The queue, and what fills it."""
    queue = aws.sqs.Queue(
        "interruptions",
        message_retention_seconds=KEPT_SECONDS,
        kms_master_key_id=args.key_arn,
        opts=pulumi.ResourceOptions(parent=parent),
    )
    inside = pulumi.ResourceOptions(parent=queue)
    fillers: list[pulumi.Resource] = [
        aws.sqs.QueuePolicy("interruptions", queue_url=queue.id, policy=_queue_policy(queue), opts=inside)
    ]
    for name, (source, kind) in WARNINGS.items():
        rule = aws.cloudwatch.EventRule(
            name, event_pattern=json.dumps({"source": [source], "detail-type": [kind]}), opts=inside
        )
        fillers.append(aws.cloudwatch.EventTarget(name, rule=rule.name, arn=queue.arn, opts=inside))
    return queue, fillers


def _queue_policy(queue: aws.sqs.Queue) -> pulumi.Output[str]:
    """EventBridge may send; nobody may do anything without TLS."""
    send = {"Sid": "Send", "Effect": "Allow", "Principal": {"Service": ["events.amazonaws.com", "sqs.amazonaws.com"]}}
    refuse = {"Sid": "TlsOnly", "Effect": "Deny", "Principal": "*", "Action": "sqs:*", "Resource": queue.arn}
    return document(
        [
            {**send, "Action": "sqs:SendMessage", "Resource": queue.arn},
            {**refuse, "Condition": {"Bool": {"aws:SecureTransport": "false"}}},
        ]
    )


def _release(
    args: AutoscalerArgs, *, queue: aws.sqs.Queue, needs: Sequence[pulumi.Resource], parent: Autoscaler
) -> kubernetes.helm.v3.Release:
    """The definitions first: destroyed last, so that node pools and classes go while Karpenter still ends machines."""
    inside = pulumi.ResourceOptions(parent=parent, provider=args.inside)
    definitions = beneath("karpenter_crd", site=args.site, opts=inside)
    return beneath(
        "karpenter",
        values=_values(args, queue=queue),
        site=args.site,
        skip_crds=True,
        opts=pulumi.ResourceOptions.merge(inside, pulumi.ResourceOptions(depends_on=[definitions, *needs])),
    )


def _values(args: AutoscalerArgs, *, queue: aws.sqs.Queue) -> dict[str, object]:
    asked = {"cpu": "500m", "memory": "1Gi"}
    return {
        "settings": {
            "clusterName": args.cluster_name,
            "interruptionQueue": queue.name,
            "featureGates": {"nodeRepair": True},
        },
        "serviceAccount": {"name": ACCOUNT},
        "nodeSelector": {"kubernetes.io/os": "linux", "atoll/role": "system"},
        "controller": {
            "env": [{"name": "AWS_REGION", "value": args.placement.region}],  # pods do not reach the node's metadata
            "resources": {"requests": asked, "limits": {"memory": asked["memory"]}},
        },
    }
