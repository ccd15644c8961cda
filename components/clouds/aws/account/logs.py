"""Logs of the infrastructure on AWS: the control plane's, refused connections of the network, and the account's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_aws as aws

from components.clouds.aws.account.bucket import BucketArgs, shut_bucket
from components.clouds.aws.account.iam import partition, role, service_trust
from components.context.naming import build_physical_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planning.spec.cluster import Placement


AUDIT_DAYS: Final = 365  # a year of history, as CIS AWS and PCI DSS 10 ask for
LEFTOVER_DAYS: Final = 7
WRITER: Final = {"Service": "cloudtrail.amazonaws.com"}


@dataclass(frozen=True, kw_only=True)
class TrailArgs:
    """Where it is, and the key that encrypts it."""

    placement: Placement
    key_arn: pulumi.Input[str]


def trail(args: TrailArgs, *, parent: pulumi.Resource) -> None:
    """Management events of every region, signed so that a change of them shows.

    The first copy of these events in an account is free, and what they take in the bucket is part of the logs that the
    component above declares. An account that has a trail already pays for a second one: the stack's settings leave it
    out then.
    """
    name = build_physical_name(args.placement, "audit")
    account = aws.get_caller_identity_output(opts=pulumi.InvokeOutputOptions(parent=parent)).account_id
    arn = pulumi.Output.concat(
        f"arn:{partition(args.placement.region)}:cloudtrail:{args.placement.region}:", account, f":trail/{name}"
    )
    made = shut_bucket(
        "audit",
        BucketArgs(
            key_arn=args.key_arn,
            rules=_rules(),
            allowed=lambda of: _build_trail_statements(of, account=account, trail_arn=arn),
        ),
        parent=parent,
    )
    aws.cloudtrail.Trail(
        "audit",
        name=name,
        s3_bucket_name=made.bucket.bucket,
        kms_key_id=args.key_arn,
        is_multi_region_trail=True,
        include_global_service_events=True,
        enable_log_file_validation=True,
        opts=pulumi.ResourceOptions(parent=parent, depends_on=[made.policy]),
    )


def _rules() -> list[aws.s3.BucketLifecycleConfigurationRuleArgsDict]:
    return [
        {
            "id": "kept",
            "status": "Enabled",
            "filter": {},
            "expiration": {"days": AUDIT_DAYS},
            "noncurrent_version_expiration": {"noncurrent_days": LEFTOVER_DAYS},
            "abort_incomplete_multipart_upload": {"days_after_initiation": LEFTOVER_DAYS},
        }
    ]


def _build_trail_statements(
    bucket: pulumi.Output[str], *, account: pulumi.Output[str], trail_arn: pulumi.Output[str]
) -> list[dict[str, object]]:
    """CloudTrail may write for this trail of this account, and nobody else by it."""
    of_trail = {"aws:SourceArn": trail_arn}
    written = {"StringEquals": {**of_trail, "s3:x-amz-acl": "bucket-owner-full-control"}}
    logs = pulumi.Output.concat(bucket, "/AWSLogs/", account, "/*")
    allow = {"Effect": "Allow", "Principal": WRITER}
    return [
        {**allow, "Action": "s3:GetBucketAcl", "Resource": bucket, "Condition": {"StringEquals": of_trail}},
        {**allow, "Action": "s3:PutObject", "Resource": logs, "Condition": written},
    ]


LOG_DAYS: Final = 90
WRITE_ACTIONS: Final = ("logs:CreateLogStream", "logs:PutLogEvents", "logs:DescribeLogStreams")


@dataclass(frozen=True, kw_only=True)
class LogsArgs:
    """What is logged, the key it is encrypted with, and the declared charges of all of it.

    Args:
        audit: whether the account gets a trail of its own.
    """

    placement: Placement
    vpc_id: pulumi.Input[str]
    key_arn: pulumi.Input[str]
    charges: Sequence[dict[str, object]]
    audit: bool


@final
class Logs(pulumi.ComponentResource):
    """Encrypted log groups with an end, made before anything writes to them: EKS would make its own, kept for ever.

    Attributes:
        control_plane: what the control plane waits for.
    """

    control_plane: aws.cloudwatch.LogGroup

    def __init__(self, name: str, args: LogsArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        facts: dict[str, object] = {
            "provider": args.placement.provider,
            "region": args.placement.region,
            "charges": list(args.charges),
        }
        super().__init__("atoll:cluster:Logs", name, facts, opts)
        self.control_plane = _group(
            "control-plane", f"/aws/eks/{build_physical_name(args.placement)}/cluster", args=args, parent=self
        )
        _flow_log(args, parent=self)
        if args.audit:
            trail(TrailArgs(placement=args.placement, key_arn=args.key_arn), parent=self)
        self.register_outputs({"controlPlane": self.control_plane.name})


def _group(name: str, shown: str, *, args: LogsArgs, parent: Logs) -> aws.cloudwatch.LogGroup:
    return aws.cloudwatch.LogGroup(
        name,
        name=shown,
        retention_in_days=LOG_DAYS,
        kms_key_id=args.key_arn,
        opts=pulumi.ResourceOptions(parent=parent),
    )


def _flow_log(args: LogsArgs, *, parent: Logs) -> None:
    """Refused connections only: they are what an audit asks for (CIS AWS 3.x), and a fraction of the volume."""
    group = _group("flows", f"/aws/vpc/{build_physical_name(args.placement)}/flows", args=args, parent=parent)
    trust = service_trust("vpc-flow-logs.amazonaws.com")
    writer = role("flows", trust=trust, parent=parent)
    allowed = pulumi.Output.json_dumps(
        {
            "Version": "2012-10-17",
            "Statement": [
                {"Effect": "Allow", "Action": list(WRITE_ACTIONS), "Resource": pulumi.Output.concat(group.arn, ":*")}
            ],
        }
    )
    written = aws.iam.RolePolicy("flows", role=writer.id, policy=allowed, opts=pulumi.ResourceOptions(parent=writer))
    aws.ec2.FlowLog(
        "flows",
        vpc_id=args.vpc_id,
        traffic_type="REJECT",
        log_destination_type="cloud-watch-logs",
        log_destination=group.arn,
        iam_role_arn=writer.arn,
        opts=pulumi.ResourceOptions(parent=parent, depends_on=[written]),
    )
