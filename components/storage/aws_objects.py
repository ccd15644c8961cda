"""Object tiers on AWS: S3 buckets that only the cluster's own account reads, over TLS, with the customer's key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_aws as aws

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planning.spec import Placement, Tier

INCOMPLETE_UPLOAD_DAYS: Final = 7
OLD_VERSION_DAYS: Final = 30
# Storage class by the item that prices the tier; what stays in S3 Standard has none.
CLASSES: Final[Mapping[str, str]] = {"object_infrequent": "STANDARD_IA", "object_archive": "GLACIER"}
# S3 Standard-IA takes objects after 30 days (S3 user guide, lifecycle transitions); Glacier takes them at once.
CLASS_AFTER_DAYS: Final[Mapping[str, int]] = {"STANDARD_IA": 30, "GLACIER": 0}
ARTIFACTS: Final = "artifacts"  # what the experiment tracker keeps, in the cold tier and of its size


@dataclass(frozen=True, kw_only=True)
class ObjectTierArgs:
    """One object tier, its key, and the declared charges of its volume."""

    placement: Placement
    tier: Tier
    key_arn: pulumi.Input[str]
    charges: Sequence[dict[str, object]]


@final
class ObjectTier(pulumi.ComponentResource):
    """The buckets of one tier, which share its volume: one for its purpose, and the cold tier's one for artifacts.

    Attributes:
        buckets: bucket names by purpose.
        arns: their ARNs.
    """

    buckets: Mapping[str, pulumi.Output[str]]
    arns: tuple[pulumi.Output[str], ...]

    def __init__(self, name: str, args: ObjectTierArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:storage:ObjectTier", name, _facts(args), opts)
        made = {purpose: _bucket(f"{args.tier.tier}-{purpose}", args, parent=self) for purpose in _purposes(args.tier)}
        self.buckets = {purpose: bucket.bucket for purpose, bucket in made.items()}
        self.arns = tuple(bucket.arn for bucket in made.values())
        self.register_outputs({"buckets": dict(self.buckets)})


def _facts(args: ObjectTierArgs) -> dict[str, object]:
    return {
        "provider": args.placement.provider,
        "region": args.placement.region,
        "tier": args.tier.tier,
        "charges": list(args.charges),
    }


def _purposes(tier: Tier) -> tuple[str, ...]:
    return (tier.purpose, ARTIFACTS) if tier.tier == "cold" else (tier.purpose,)


def _bucket(name: str, args: ObjectTierArgs, *, parent: ObjectTier) -> aws.s3.Bucket:
    opts = pulumi.ResourceOptions(parent=parent, protect=True, retain_on_delete=True)
    bucket = aws.s3.Bucket(name, force_destroy=False, opts=opts)
    within = pulumi.ResourceOptions(parent=bucket, protect=False, retain_on_delete=True)  # a kept bucket stays shut
    _encrypt(name, bucket, key_arn=args.key_arn, opts=within)
    _shut(name, bucket, opts=within)
    versions = aws.s3.BucketVersioning(
        name, bucket=bucket.bucket, versioning_configuration={"status": "Enabled"}, opts=within
    )
    aws.s3.BucketLifecycleConfiguration(
        name,
        bucket=bucket.bucket,
        rules=_lifecycle(CLASSES.get(args.tier.item, "")),
        opts=pulumi.ResourceOptions.merge(within, pulumi.ResourceOptions(depends_on=[versions])),
    )
    return bucket


def _encrypt(name: str, bucket: aws.s3.Bucket, *, key_arn: pulumi.Input[str], opts: pulumi.ResourceOptions) -> None:
    """A bucket key asks KMS once for many objects, instead of once for each."""
    aws.s3.BucketServerSideEncryptionConfiguration(
        name,
        bucket=bucket.bucket,
        rules=[
            {
                "apply_server_side_encryption_by_default": {"sse_algorithm": "aws:kms", "kms_master_key_id": key_arn},
                "bucket_key_enabled": True,
            }
        ],
        opts=opts,
    )


def _shut(name: str, bucket: aws.s3.Bucket, *, opts: pulumi.ResourceOptions) -> None:
    """No public access, no access lists, no connection without TLS."""
    blocked = aws.s3.BucketPublicAccessBlock(
        name,
        bucket=bucket.bucket,
        block_public_acls=True,
        block_public_policy=True,
        ignore_public_acls=True,
        restrict_public_buckets=True,
        opts=opts,
    )
    aws.s3.BucketOwnershipControls(
        name, bucket=bucket.bucket, rule={"object_ownership": "BucketOwnerEnforced"}, opts=opts
    )
    after = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[blocked]))
    aws.s3.BucketPolicy(name, bucket=bucket.bucket, policy=_tls_only(bucket), opts=after)


def _tls_only(bucket: aws.s3.Bucket) -> pulumi.Output[str]:
    refused = {
        "Sid": "TlsOnly",
        "Effect": "Deny",
        "Principal": "*",
        "Action": "s3:*",
        "Resource": [bucket.arn, pulumi.Output.concat(bucket.arn, "/*")],
        "Condition": {"Bool": {"aws:SecureTransport": "false"}},
    }
    return pulumi.Output.json_dumps({"Version": "2012-10-17", "Statement": [refused]})


def _lifecycle(storage_class: str) -> list[aws.s3.BucketLifecycleConfigurationRuleArgsDict]:
    rules: list[aws.s3.BucketLifecycleConfigurationRuleArgsDict] = [
        {
            "id": "leftovers",
            "status": "Enabled",
            "filter": {},
            "abort_incomplete_multipart_upload": {"days_after_initiation": INCOMPLETE_UPLOAD_DAYS},
            "noncurrent_version_expiration": {"noncurrent_days": OLD_VERSION_DAYS},
        }
    ]
    if storage_class:
        days = CLASS_AFTER_DAYS[storage_class]
        rules.append(
            {
                "id": "class",
                "status": "Enabled",
                "filter": {},
                "transitions": [{"days": days, "storage_class": storage_class}],
            }
        )
    return rules
