"""Object tiers on AWS: private S3 buckets, and the workloads' right to use them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_aws as aws  # noqa: TC002 - Pulumi reads the annotations of components

from components.clouds.aws.account.bucket import create_private_bucket, delete_leftovers
from components.clouds.aws.account.iam import (
    POD_IDENTITY,
    associate,
    build_document,
    build_statement,
    create_role,
    grant,
    trust_service,
)
from components.context.buckets import OLD_VERSION_DAYS, describe_tier, list_object_tiers, purposes
from components.context.names import SERVICE_ACCOUNT, namespace, workloads

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.clouds.aws.cluster.context import ClusterContext
    from planning.spec.cluster import Tier


# Storage class by price item of the tier; S3 Standard has none. S3 Standard-IA takes objects after 30 days (S3 user
# guide, lifecycle transitions); Glacier takes them at once.
CLASSES: Final[Mapping[str, tuple[str, int]]] = {
    "object_infrequent": ("STANDARD_IA", 30),
    "object_archive": ("GLACIER", 0),
}
OBJECT_ACTIONS: Final = ("s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload")
BUCKET_ACTIONS: Final = ("s3:ListBucket", "s3:GetBucketLocation", "s3:ListBucketMultipartUploads")
KEY_ACTIONS: Final = ("kms:Decrypt", "kms:GenerateDataKey")


def register_object_tiers(here: ClusterContext) -> list[ObjectTier]:
    tiers = [ObjectTier(f"tier-{tier.tier}", tier, here, opts=here.options()) for tier in list_object_tiers(here.spec)]
    if tiers:
        BucketAccess("bucket-access", tiers, here, opts=here.options())
    return tiers


@final
class ObjectTier(pulumi.ComponentResource):
    """The buckets of one tier, which share its volume: one for its purpose, and in the cold tier one for artifacts.

    Attributes:
        buckets: names by purpose.
        data: name of the one for the tier's own purpose.
    """

    tier: str
    buckets: Mapping[str, pulumi.Output[str]]
    data: pulumi.Output[str]
    arns: tuple[pulumi.Output[str], ...]

    def __init__(self, name: str, tier: Tier, here: ClusterContext, *, opts: pulumi.ResourceOptions) -> None:
        super().__init__("atoll:storage:ObjectTier", name, describe_tier(here.site, tier), opts)
        rules = [delete_leftovers(old_version_days=OLD_VERSION_DAYS)]
        if tier.item in CLASSES:
            storage_class, days = CLASSES[tier.item]
            rules.append(
                {
                    "id": "class",
                    "status": "Enabled",
                    "filter": {},
                    "transitions": [{"days": days, "storage_class": storage_class}],
                }
            )
        buckets: dict[str, aws.s3.Bucket] = {}
        for purpose in purposes(tier):
            buckets[purpose], _ = create_private_bucket(
                f"{tier.tier}-{purpose}", key_arn=here.key.arn, rules=rules, parent=self
            )
        self.tier = tier.tier
        self.buckets = {purpose: bucket.bucket for purpose, bucket in buckets.items()}
        self.data = self.buckets[tier.purpose]
        self.arns = tuple(bucket.arn for bucket in buckets.values())
        self.register_outputs({"buckets": dict(self.buckets)})


@final
class BucketAccess(pulumi.ComponentResource):
    """One role with access to the objects, for the service account `workload` of each workload's namespace."""

    def __init__(
        self, name: str, tiers: Sequence[ObjectTier], here: ClusterContext, *, opts: pulumi.ResourceOptions
    ) -> None:
        names = workloads(here.spec)
        super().__init__("atoll:access:BucketAccess", name, {"workloads": list(names)}, opts)
        role = create_role("workload", trust=trust_service(POD_IDENTITY), parent=self)
        arns = [arn for tier in tiers for arn in tier.arns]
        statements = (
            build_statement(OBJECT_ACTIONS, [pulumi.Output.concat(arn, "/*") for arn in arns]),
            build_statement(BUCKET_ACTIONS, arns),
            build_statement(KEY_ACTIONS, here.key.arn),
        )
        grant(role, "buckets", build_document(*statements))
        cluster = here.cluster.resource.name
        for workload in names:
            account = (namespace(workload), SERVICE_ACCOUNT)
            associate(f"workload-{workload}", role, account, cluster_name=cluster, parent=self)
        self.register_outputs({"roleArn": role.arn})
