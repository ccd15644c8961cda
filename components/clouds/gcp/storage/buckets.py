"""Object tiers on Google Cloud: private buckets with the customer's key, and the workloads' right to use them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_gcp as gcp

from components.clouds.gcp.account.names import build_principal
from components.context.buckets import (
    INCOMPLETE_UPLOAD_DAYS,
    OLD_VERSION_DAYS,
    describe_tier,
    list_object_tiers,
    purposes,
)
from components.context.names import SERVICE_ACCOUNT, namespace, workloads

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.clouds.gcp.cluster.context import ClusterContext
    from planning.spec.cluster import Tier


UNDELETE_S: Final = 7 * 24 * 3600  # deleted objects can be restored for a week, and are billed meanwhile
# Storage class by price item of the tier; Standard has none. Objects move on the day after they are written: the
# classes have a minimum storage time, not a minimum age.
CLASSES: Final[Mapping[str, str]] = {"object_infrequent": "NEARLINE", "object_archive": "ARCHIVE"}
CLASS_AFTER_DAYS: Final = 1
# Read and write objects, and read the bucket itself, which the FUSE driver does before it mounts (GKE docs, GCS FUSE).
OBJECT_USER: Final = "roles/storage.objectUser"
BUCKET_VIEWER: Final = "roles/storage.bucketViewer"


def register_object_tiers(here: ClusterContext) -> Mapping[str, pulumi.Output[str]]:
    """Bucket names by purpose."""
    options = here.options(depends_on=here.key.granted)
    tiers = [ObjectTier(f"tier-{tier.tier}", tier, here, opts=options) for tier in list_object_tiers(here.spec)]
    buckets = {purpose: bucket for tier in tiers for purpose, bucket in tier.buckets.items()}
    if buckets:
        BucketAccess("bucket-access", buckets, here, opts=here.after_cluster)
    return buckets


@final
class ObjectTier(pulumi.ComponentResource):
    """The buckets of one tier, which share its volume: one for its purpose, and in the cold tier one for artifacts.

    Attributes:
        buckets: names by purpose.
    """

    buckets: Mapping[str, pulumi.Output[str]]

    def __init__(self, name: str, tier: Tier, here: ClusterContext, *, opts: pulumi.ResourceOptions) -> None:
        super().__init__("atoll:storage:ObjectTier", name, describe_tier(here.site, tier), opts)
        storage_class = CLASSES.get(tier.item, "")
        self.buckets = {
            purpose: create_private_bucket(
                f"{tier.tier}-{purpose}",
                here,
                old_version_days=OLD_VERSION_DAYS,
                storage_class=storage_class,
                parent=self,
            ).name
            for purpose in purposes(tier)
        }
        self.register_outputs({"buckets": dict(self.buckets)})


def create_private_bucket(
    name: str, here: ClusterContext, *, old_version_days: int, storage_class: str = "", parent: pulumi.Resource
) -> gcp.storage.Bucket:
    """A versioned bucket, encrypted with the customer's key and retained on destroy.

    Args:
        storage_class: that objects move to; "" for Standard.
    """
    rules: list[gcp.storage.BucketLifecycleRuleArgsDict] = [
        {"action": {"type": "AbortIncompleteMultipartUpload"}, "condition": {"age": INCOMPLETE_UPLOAD_DAYS}},
        {
            "action": {"type": "Delete"},
            "condition": {"days_since_noncurrent_time": old_version_days, "with_state": "ARCHIVED"},
        },
    ]
    if storage_class:
        rules.append(
            {
                "action": {"type": "SetStorageClass", "storage_class": storage_class},
                "condition": {"age": CLASS_AFTER_DAYS, "with_state": "LIVE"},
            }
        )
    return gcp.storage.Bucket(
        name,
        location=here.site.placement.region,
        storage_class="STANDARD",
        # Rights are granted on the bucket only, never on single objects.
        uniform_bucket_level_access=True,
        public_access_prevention="enforced",
        encryption={"default_kms_key_name": here.key.id},
        versioning={"enabled": True},
        soft_delete_policy={"retention_duration_seconds": UNDELETE_S},
        lifecycle_rules=rules,
        force_destroy=False,
        labels=here.labels,
        opts=pulumi.ResourceOptions(parent=parent, protect=True, retain_on_delete=True),
    )


@final
class BucketAccess(pulumi.ComponentResource):
    """The service account `workload` of each workload's namespace may read and write objects.

    Rights are granted to the Kubernetes account itself, without a Google account or an annotation.
    """

    def __init__(
        self,
        name: str,
        buckets: Mapping[str, pulumi.Input[str]],
        here: ClusterContext,
        *,
        opts: pulumi.ResourceOptions,
    ) -> None:
        """`buckets` are names by purpose."""
        names = workloads(here.spec)
        super().__init__("atoll:access:BucketAccess", name, {"workloads": list(names)}, opts)
        for workload in names:
            account = (namespace(workload), SERVICE_ACCOUNT)
            member = build_principal(account, number=here.number, workload_pool=here.cluster.workload_pool)
            for purpose, bucket in buckets.items():
                for role in (OBJECT_USER, BUCKET_VIEWER):
                    gcp.storage.BucketIAMMember(
                        f"{workload}-{purpose}-{role.rpartition('.')[2]}",
                        bucket=bucket,
                        role=role,
                        member=member,
                        opts=pulumi.ResourceOptions(parent=self),
                    )
        self.register_outputs({})
