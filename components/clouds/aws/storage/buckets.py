"""Object tiers on AWS: S3 buckets that only the cluster's own account reads, over TLS, with the customer's key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_aws as aws

from components.clouds.aws.account.bucket import BucketArgs, shut_bucket
from components.clouds.aws.account.iam import POD_IDENTITY, role, service_trust
from components.context.buckets import INCOMPLETE_UPLOAD_DAYS, OLD_VERSION_DAYS, purposes, tier_facts
from components.context.names import SERVICE_ACCOUNT, namespace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planning.spec.cluster import Placement, Tier


# Storage class by the item that prices the tier; what stays in S3 Standard has none.
CLASSES: Final[Mapping[str, str]] = {"object_infrequent": "STANDARD_IA", "object_archive": "GLACIER"}
# S3 Standard-IA takes objects after 30 days (S3 user guide, lifecycle transitions); Glacier takes them at once.
CLASS_AFTER_DAYS: Final[Mapping[str, int]] = {"STANDARD_IA": 30, "GLACIER": 0}


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
        data: the first of them, which holds what the tier is for.
        arns: their ARNs.
    """

    buckets: Mapping[str, pulumi.Output[str]]
    data: pulumi.Output[str]
    arns: tuple[pulumi.Output[str], ...]

    def __init__(self, name: str, args: ObjectTierArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:storage:ObjectTier", name, tier_facts(args.placement, args.tier, args.charges), opts)
        made = {purpose: _bucket(f"{args.tier.tier}-{purpose}", args, parent=self) for purpose in purposes(args.tier)}
        self.buckets = {purpose: bucket.bucket for purpose, bucket in made.items()}
        self.data = self.buckets[args.tier.purpose]
        self.arns = tuple(bucket.arn for bucket in made.values())
        self.register_outputs({"buckets": dict(self.buckets)})


def _bucket(name: str, args: ObjectTierArgs, *, parent: ObjectTier) -> aws.s3.Bucket:
    rules = _lifecycle(CLASSES.get(args.tier.item, ""))
    return shut_bucket(name, BucketArgs(key_arn=args.key_arn, rules=rules), parent=parent).bucket


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


OBJECT_ACTIONS: Final = ("s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload")
BUCKET_ACTIONS: Final = ("s3:ListBucket", "s3:GetBucketLocation", "s3:ListBucketMultipartUploads")
KEY_ACTIONS: Final = ("kms:Decrypt", "kms:GenerateDataKey")


@dataclass(frozen=True, kw_only=True)
class BucketAccessArgs:
    """Who, and to what."""

    region: str
    cluster_name: pulumi.Input[str]
    workloads: Sequence[str]
    bucket_arns: Sequence[pulumi.Input[str]]
    key_arn: pulumi.Input[str]


@final
class BucketAccess(pulumi.ComponentResource):
    """One role for the service account `workload` of each workload's namespace: objects may be read and written."""

    def __init__(self, name: str, args: BucketAccessArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:access:BucketAccess", name, {"workloads": list(args.workloads)}, opts)
        taken = role("workload", trust=service_trust(POD_IDENTITY), parent=self)
        aws.iam.RolePolicy("buckets", role=taken.id, policy=_policy(args), opts=pulumi.ResourceOptions(parent=taken))
        for workload in args.workloads:
            aws.eks.PodIdentityAssociation(
                f"workload-{workload}",
                cluster_name=args.cluster_name,
                namespace=namespace(workload),
                service_account=SERVICE_ACCOUNT,
                role_arn=taken.arn,
                opts=pulumi.ResourceOptions(parent=self),
            )
        self.register_outputs({"roleArn": taken.arn})


def _policy(args: BucketAccessArgs) -> pulumi.Output[str]:
    objects = [pulumi.Output.concat(arn, "/*") for arn in args.bucket_arns]
    return pulumi.Output.json_dumps(
        {
            "Version": "2012-10-17",
            "Statement": [
                {"Effect": "Allow", "Action": list(OBJECT_ACTIONS), "Resource": objects},
                {"Effect": "Allow", "Action": list(BUCKET_ACTIONS), "Resource": list(args.bucket_arns)},
                {"Effect": "Allow", "Action": list(KEY_ACTIONS), "Resource": args.key_arn},
            ],
        }
    )
