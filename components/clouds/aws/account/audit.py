"""Who did what to the account of a cluster on AWS: a trail of management events in a bucket of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_aws as aws

from components.clouds.aws.account.bucket import BucketArgs, shut_bucket
from components.clouds.aws.account.iam import partition
from components.context.naming import physical

if TYPE_CHECKING:
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
    name = physical(args.placement, "audit")
    account = aws.get_caller_identity_output(opts=pulumi.InvokeOutputOptions(parent=parent)).account_id
    arn = pulumi.Output.concat(
        f"arn:{partition(args.placement.region)}:cloudtrail:{args.placement.region}:", account, f":trail/{name}"
    )
    made = shut_bucket(
        "audit",
        BucketArgs(
            key_arn=args.key_arn,
            rules=_rules(),
            allowed=lambda of: _allowed(of, account=account, trail_arn=arn),
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


def _allowed(
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
