"""A private S3 bucket, retained on destroy: encrypted with the customer's key, no public access, TLS only."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi
import pulumi_aws as aws

from components.clouds.aws.account.iam import NO_TLS, Statement, build_document, build_statement
from components.context.buckets import INCOMPLETE_UPLOAD_DAYS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def delete_leftovers(*, old_version_days: int) -> aws.s3.BucketLifecycleConfigurationRuleArgsDict:
    """The lifecycle rule that deletes incomplete uploads and old versions."""
    return {
        "id": "leftovers",
        "status": "Enabled",
        "filter": {},
        "abort_incomplete_multipart_upload": {"days_after_initiation": INCOMPLETE_UPLOAD_DAYS},
        "noncurrent_version_expiration": {"noncurrent_days": old_version_days},
    }


def create_private_bucket(
    name: str,
    *,
    key_arn: pulumi.Input[str],
    rules: Sequence[aws.s3.BucketLifecycleConfigurationRuleArgsDict],
    parent: pulumi.Resource,
    allow: Callable[[pulumi.Output[str]], list[Statement]] = lambda _: [],
) -> tuple[aws.s3.Bucket, aws.s3.BucketPolicy]:
    """A versioned bucket and its policy; writers that the policy allows wait for it.

    Args:
        rules: its lifecycle.
        allow: further statements of its policy, from its ARN.
    """
    opts = pulumi.ResourceOptions(parent=parent, protect=True, retain_on_delete=True)
    bucket = aws.s3.Bucket(name, force_destroy=False, opts=opts)
    within = pulumi.ResourceOptions(
        parent=bucket, protect=False, retain_on_delete=True
    )  # a retained bucket stays private
    aws.s3.BucketServerSideEncryptionConfiguration(
        name,
        bucket=bucket.bucket,
        rules=[
            {
                "apply_server_side_encryption_by_default": {"sse_algorithm": "aws:kms", "kms_master_key_id": key_arn},
                "bucket_key_enabled": True,  # asks KMS once for many objects, instead of once for each
            }
        ],
        opts=within,
    )
    policy = _forbid_public_access(name, bucket, allowed=allow(bucket.arn), opts=within)
    versions = aws.s3.BucketVersioning(
        name, bucket=bucket.bucket, versioning_configuration={"status": "Enabled"}, opts=within
    )
    aws.s3.BucketLifecycleConfiguration(
        name,
        bucket=bucket.bucket,
        rules=list(rules),
        opts=pulumi.ResourceOptions.merge(within, pulumi.ResourceOptions(depends_on=[versions])),
    )
    return bucket, policy


def _forbid_public_access(
    name: str, bucket: aws.s3.Bucket, *, allowed: Sequence[Statement], opts: pulumi.ResourceOptions
) -> aws.s3.BucketPolicy:
    """No public access, no access control lists, TLS only (aws:SecureTransport)."""
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
    all_of_it = [bucket.arn, pulumi.Output.concat(bucket.arn, "/*")]
    refused = build_statement("s3:*", all_of_it, sid="TlsOnly", effect="Deny", principal="*", condition=NO_TLS)
    after = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[blocked]))
    return aws.s3.BucketPolicy(name, bucket=bucket.bucket, policy=build_document(refused, *allowed), opts=after)
