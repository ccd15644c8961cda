"""Logs on AWS: control plane, rejected connections, the account's audit trail, and rights of the log collector."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_aws as aws

from components.clouds.aws.account.bucket import create_private_bucket
from components.clouds.aws.account.iam import (
    build_document,
    build_statement,
    create_pod_role,
    create_role,
    find_account,
    grant,
    partition,
    trust_service,
)
from components.context.naming import build_physical_name
from components.platform.building_blocks.names import COLLECTOR_ACCOUNT, build_log_group_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.clouds.aws.account.iam import Statement
    from components.context.placement import PlacementContext
    from planning.spec.platform import Forwarding


AUDIT_DAYS: Final = 365  # one year, as CIS AWS and PCI DSS 10 require
LEFTOVER_DAYS: Final = 7
LOG_DAYS: Final = 90
WRITE_ACTIONS: Final = ("logs:CreateLogStream", "logs:PutLogEvents", "logs:DescribeLogStreams")
# Of both exporters. Metrics are written as logs, from which CloudWatch extracts them, so no metric right is needed
# (aws-otel.github.io/docs/setup/permissions and exporter/awscloudwatchlogsexporter/README.md, 2026-11-21).
ACTIONS: Final = (
    "logs:CreateLogGroup",
    "logs:CreateLogStream",
    "logs:DescribeLogStreams",
    "logs:PutLogEvents",
    "logs:PutRetentionPolicy",
)


@final
class Logs(pulumi.ComponentResource):
    """Encrypted log groups with a retention, created before EKS would create its own without one.

    Attributes:
        control_plane: the control plane waits for it.
    """

    control_plane: aws.cloudwatch.LogGroup

    def __init__(
        self,
        name: str,
        site: PlacementContext,
        *,
        vpc_id: pulumi.Input[str],
        key_arn: pulumi.Input[str],
        opts: pulumi.ResourceOptions,
    ) -> None:
        """Registers the groups with the declared charges of all logs, and the account's trail if it has none."""
        super().__init__("atoll:cluster:Logs", name, site.describe(charges=site.ledger.claim("cluster")), opts)
        shown = build_physical_name(site.placement)
        self.control_plane = _create_group("control-plane", f"/aws/eks/{shown}/cluster", key_arn=key_arn, parent=self)
        flows = _create_group("flows", f"/aws/vpc/{shown}/flows", key_arn=key_arn, parent=self)
        _log_refused_connections(flows, vpc_id=vpc_id, parent=self)
        if site.settings.audit_trail and site.first:
            _create_trail(site, key_arn=key_arn, parent=self)
        self.register_outputs({"controlPlane": self.control_plane.name})


def _create_group(name: str, shown: str, *, key_arn: pulumi.Input[str], parent: Logs) -> aws.cloudwatch.LogGroup:
    return aws.cloudwatch.LogGroup(
        name,
        name=shown,
        retention_in_days=LOG_DAYS,
        kms_key_id=key_arn,
        opts=pulumi.ResourceOptions(parent=parent),
    )


def _log_refused_connections(group: aws.cloudwatch.LogGroup, *, vpc_id: pulumi.Input[str], parent: Logs) -> None:
    """Rejected connections only."""
    writer = create_role("flows", trust=trust_service("vpc-flow-logs.amazonaws.com"), parent=parent)
    streams = pulumi.Output.concat(group.arn, ":*")
    written = grant(writer, "flows", build_document(build_statement(WRITE_ACTIONS, streams)))
    aws.ec2.FlowLog(
        "flows",
        vpc_id=vpc_id,
        # Audits require those (CIS AWS 3.x), and they are a fraction of the volume.
        traffic_type="REJECT",
        log_destination_type="cloud-watch-logs",
        log_destination=group.arn,
        iam_role_arn=writer.arn,
        opts=pulumi.ResourceOptions(parent=parent, depends_on=[written]),
    )


def _create_trail(site: PlacementContext, *, key_arn: pulumi.Input[str], parent: Logs) -> None:
    """Management events of every region, signed against tampering."""
    # The first copy of these events in an account is free, and their storage is part of the declared charges of logs. A
    # second trail would be billed: the stack's settings switch it off where the account has one.
    name, region = build_physical_name(site.placement, "audit"), site.placement.region
    account = find_account(parent=parent)
    trail = pulumi.Output.concat(f"arn:{partition(region)}:cloudtrail:{region}:", account, f":trail/{name}")
    bucket, policy = create_private_bucket(
        "audit",
        key_arn=key_arn,
        rules=[
            {
                "id": "kept",
                "status": "Enabled",
                "filter": {},
                "expiration": {"days": AUDIT_DAYS},
                "noncurrent_version_expiration": {"noncurrent_days": LEFTOVER_DAYS},
                "abort_incomplete_multipart_upload": {"days_after_initiation": LEFTOVER_DAYS},
            }
        ],
        allow=lambda arn: _allow_trail(arn, account=account, trail=trail),
        parent=parent,
    )
    aws.cloudtrail.Trail(
        "audit",
        name=name,
        s3_bucket_name=bucket.bucket,
        kms_key_id=key_arn,
        is_multi_region_trail=True,
        include_global_service_events=True,
        enable_log_file_validation=True,
        opts=pulumi.ResourceOptions(parent=parent, depends_on=[policy]),
    )


def _allow_trail(
    bucket: pulumi.Output[str], *, account: pulumi.Output[str], trail: pulumi.Output[str]
) -> list[Statement]:
    """Only CloudTrail may write, and only for this trail of this account."""
    writer, of_trail = {"Service": "cloudtrail.amazonaws.com"}, {"aws:SourceArn": trail}
    written = {"StringEquals": {**of_trail, "s3:x-amz-acl": "bucket-owner-full-control"}}
    logs = pulumi.Output.concat(bucket, "/AWSLogs/", account, "/*")
    return [
        build_statement("s3:GetBucketAcl", bucket, principal=writer, condition={"StringEquals": of_trail}),
        build_statement("s3:PutObject", logs, principal=writer, condition=written),
    ]


@final
class ForwardingAccess(pulumi.ComponentResource):
    """A role that the log collector assumes by EKS Pod Identity, to write to the log groups of one customer only.

    It gives no rights in another account than the cluster's, so no log is written to a wrong one.

    Attributes:
        ready: the collector's pods must start after it.
    """

    ready: Sequence[pulumi.Resource]

    def __init__(
        self,
        name: str,
        to: Forwarding,
        *,
        customer: str,
        cluster_name: pulumi.Input[str],
        opts: pulumi.ResourceOptions,
    ) -> None:
        super().__init__("atoll:access:ForwardingAccess", name, {"to": to.provider, "region": to.region}, opts)
        account = find_account(parent=self)
        start = f"arn:{partition(to.region)}:logs:{to.region}:"
        groups = [
            pulumi.Output.concat(start, to.account or account, f":log-group:{group}:*")
            for group in build_log_group_names(customer).values()
        ]
        _, self.ready = create_pod_role(
            "forwarding",
            service_account=COLLECTOR_ACCOUNT,
            cluster_name=cluster_name,
            policies={"logs": build_document(build_statement(ACTIONS, groups))},
            parent=self,
        )
        self.register_outputs({})
