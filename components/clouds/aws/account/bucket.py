"""A bucket on AWS that is kept, encrypted with the customer's key, and shut: no public access, nothing without TLS."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pulumi
import pulumi_aws as aws

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def _nothing(_arn: pulumi.Output[str]) -> list[dict[str, object]]:
    return []


@dataclass(frozen=True, kw_only=True)
class BucketArgs:
    """What is particular to one bucket.

    Args:
        rules: its lifecycle.
        allowed: more statements of its policy, from its ARN.
    """

    key_arn: pulumi.Input[str]
    rules: Sequence[aws.s3.BucketLifecycleConfigurationRuleArgsDict]
    allowed: Callable[[pulumi.Output[str]], list[dict[str, object]]] = _nothing


@dataclass(frozen=True, kw_only=True)
class ShutBucket:
    """A bucket, and its policy, which whatever writes by it waits for."""

    bucket: aws.s3.Bucket
    policy: aws.s3.BucketPolicy


def shut_bucket(name: str, args: BucketArgs, *, parent: pulumi.Resource) -> ShutBucket:
    """A versioned bucket, which a destroy keeps, and keeps shut."""
    opts = pulumi.ResourceOptions(parent=parent, protect=True, retain_on_delete=True)
    bucket = aws.s3.Bucket(name, force_destroy=False, opts=opts)
    within = pulumi.ResourceOptions(parent=bucket, protect=False, retain_on_delete=True)  # a kept bucket stays shut
    _encrypt(name, bucket, key_arn=args.key_arn, opts=within)
    policy = _shut(name, bucket, allowed=args.allowed(bucket.arn), opts=within)
    versions = aws.s3.BucketVersioning(
        name, bucket=bucket.bucket, versioning_configuration={"status": "Enabled"}, opts=within
    )
    aws.s3.BucketLifecycleConfiguration(
        name,
        bucket=bucket.bucket,
        rules=list(args.rules),
        opts=pulumi.ResourceOptions.merge(within, pulumi.ResourceOptions(depends_on=[versions])),
    )
    return ShutBucket(bucket=bucket, policy=policy)


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


def _shut(
    name: str, bucket: aws.s3.Bucket, *, allowed: Sequence[dict[str, object]], opts: pulumi.ResourceOptions
) -> aws.s3.BucketPolicy:
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
    return aws.s3.BucketPolicy(name, bucket=bucket.bucket, policy=_policy(bucket, allowed=allowed), opts=after)


def _policy(bucket: aws.s3.Bucket, *, allowed: Sequence[dict[str, object]]) -> pulumi.Output[str]:
    refused = {
        "Sid": "TlsOnly",
        "Effect": "Deny",
        "Principal": "*",
        "Action": "s3:*",
        "Resource": [bucket.arn, pulumi.Output.concat(bucket.arn, "/*")],
        "Condition": {"Bool": {"aws:SecureTransport": "false"}},
    }
    return pulumi.Output.json_dumps({"Version": "2012-10-17", "Statement": [refused, *allowed]})
