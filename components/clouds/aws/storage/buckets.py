"""Object tiers on AWS: S3 buckets that only the cluster's own account reads, over TLS, with the customer's key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi

from components.clouds.aws.account.bucket import BucketArgs, shut_bucket
from components.context.buckets import INCOMPLETE_UPLOAD_DAYS, OLD_VERSION_DAYS, purposes, tier_facts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pulumi_aws as aws

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
