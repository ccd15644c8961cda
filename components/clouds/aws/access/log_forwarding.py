"""What lets the collector write to CloudWatch: a role for its pods, on log groups of one customer and no other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_aws as aws

from components.clouds.aws.account.iam import document, partition, pod_role
from components.platform.building_blocks.names import COLLECTOR_ACCOUNT, build_log_group_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planning.spec.platform import Forwarding

# Of both exporters; metrics are written as logs, out of which CloudWatch makes them, so no right on metrics is needed
# (aws-otel.github.io/docs/setup/permissions and exporter/awscloudwatchlogsexporter/README.md, 2026-11-21).
ACTIONS: Final = (
    "logs:CreateLogGroup",
    "logs:CreateLogStream",
    "logs:DescribeLogStreams",
    "logs:PutLogEvents",
    "logs:PutRetentionPolicy",
)


@dataclass(frozen=True, kw_only=True)
class ForwardingAccessArgs:
    """Who may write, and where.

    Args:
        customer: whose name the log groups have.
    """

    cluster_name: pulumi.Input[str]
    customer: str
    to: Forwarding


@final
class ForwardingAccess(pulumi.ComponentResource):
    """A role that the collector takes by pod identity.

    Attributes:
        ready: what is there before its pods start.
    """

    ready: Sequence[pulumi.Resource]

    def __init__(self, name: str, args: ForwardingAccessArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        facts = {"to": args.to.provider, "region": args.to.region}
        super().__init__("atoll:access:ForwardingAccess", name, facts, opts)
        account = aws.get_caller_identity_output(opts=pulumi.InvokeOutputOptions(parent=self)).account_id
        _, self.ready = pod_role(
            "forwarding",
            service_account=COLLECTOR_ACCOUNT,
            cluster_name=args.cluster_name,
            policies={"logs": document([statement(args, account=account)])},
            parent=self,
        )
        self.register_outputs({})


def statement(args: ForwardingAccessArgs, *, account: pulumi.Input[str]) -> dict[str, object]:
    """The right to write. In another account than the cluster's it opens nothing, so nothing lands in a wrong one."""
    region = args.to.region
    start = f"arn:{partition(region)}:logs:{region}:"
    groups = [
        pulumi.Output.concat(start, args.to.account or account, f":log-group:{group}:*")
        for group in build_log_group_names(args.customer).values()
    ]
    return {"Effect": "Allow", "Action": list(ACTIONS), "Resource": groups}
