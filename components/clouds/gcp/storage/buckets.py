"""Object tiers on Google Cloud: buckets that nobody outside the project reads, with the customer's key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_gcp as gcp

from components.context.buckets import INCOMPLETE_UPLOAD_DAYS, OLD_VERSION_DAYS, purposes, tier_facts
from components.context.names import SERVICE_ACCOUNT, namespace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planning.spec.cluster import Placement, Tier


UNDELETE_S: Final = 7 * 24 * 3600  # deleted objects come back for a week; what they hold is paid for meanwhile
# Storage class by the item that prices the tier; what stays in Standard has none. Objects move on the day after they
# are written: their classes have a least time of storage, not a least age.
CLASSES: Final[Mapping[str, str]] = {"object_infrequent": "NEARLINE", "object_archive": "ARCHIVE"}
CLASS_AFTER_DAYS: Final = 1


@dataclass(frozen=True, kw_only=True)
class ObjectTierArgs:
    """One object tier, its key, and the declared charges of its volume."""

    placement: Placement
    tier: Tier
    key_id: pulumi.Input[str]
    labels: Mapping[str, str]
    charges: Sequence[dict[str, object]]


@final
class ObjectTier(pulumi.ComponentResource):
    """The buckets of one tier, which share its volume: one for its purpose, and the cold tier's one for artifacts.

    Attributes:
        buckets: bucket names by purpose.
    """

    buckets: Mapping[str, pulumi.Output[str]]

    def __init__(self, name: str, args: ObjectTierArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:storage:ObjectTier", name, tier_facts(args.placement, args.tier, args.charges), opts)
        made = {purpose: _bucket(f"{args.tier.tier}-{purpose}", args, parent=self) for purpose in purposes(args.tier)}
        self.buckets = {purpose: bucket.name for purpose, bucket in made.items()}
        self.register_outputs({"buckets": dict(self.buckets)})


def _bucket(name: str, args: ObjectTierArgs, *, parent: ObjectTier) -> gcp.storage.Bucket:
    """Rights are given to the whole bucket only; no list of rights on an object can open it."""
    return gcp.storage.Bucket(
        name,
        location=args.placement.region,
        storage_class="STANDARD",
        uniform_bucket_level_access=True,
        public_access_prevention="enforced",
        encryption={"default_kms_key_name": args.key_id},
        versioning={"enabled": True},
        soft_delete_policy={"retention_duration_seconds": UNDELETE_S},
        lifecycle_rules=_lifecycle(CLASSES.get(args.tier.item, "")),
        force_destroy=False,
        labels=dict(args.labels),
        opts=pulumi.ResourceOptions(parent=parent, protect=True, retain_on_delete=True),
    )


def _lifecycle(storage_class: str) -> list[gcp.storage.BucketLifecycleRuleArgsDict]:
    rules: list[gcp.storage.BucketLifecycleRuleArgsDict] = [
        {"action": {"type": "AbortIncompleteMultipartUpload"}, "condition": {"age": INCOMPLETE_UPLOAD_DAYS}},
        {
            "action": {"type": "Delete"},
            "condition": {"days_since_noncurrent_time": OLD_VERSION_DAYS, "with_state": "ARCHIVED"},
        },
    ]
    if storage_class:
        rules.append(
            {
                "action": {"type": "SetStorageClass", "storage_class": storage_class},
                "condition": {"age": CLASS_AFTER_DAYS, "with_state": "LIVE"},
            }
        )
    return rules


# Read and write objects, and read the bucket itself, which the FUSE driver does before it mounts (GKE docs, GCS FUSE).
ROLES: Final = ("roles/storage.objectUser", "roles/storage.bucketViewer")


@dataclass(frozen=True, kw_only=True)
class BucketAccessArgs:
    """Who, and to what.

    Args:
        number: the project's number.
        workload_pool: issuer of the pods' identities.
        buckets: bucket names by purpose.
    """

    number: pulumi.Input[str]
    workload_pool: pulumi.Input[str]
    workloads: Sequence[str]
    buckets: Mapping[str, pulumi.Input[str]]


@final
class BucketAccess(pulumi.ComponentResource):
    """The service account `workload` of each workload's namespace may read and write objects.

    Rights are given to the Kubernetes account itself: there is no Google account between, and nothing to annotate.
    """

    def __init__(self, name: str, args: BucketAccessArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:access:BucketAccess", name, {"workloads": list(args.workloads)}, opts)
        for workload in args.workloads:
            for purpose, bucket in args.buckets.items():
                for role in ROLES:
                    gcp.storage.BucketIAMMember(
                        f"{workload}-{purpose}-{role.rpartition('.')[2]}",
                        bucket=bucket,
                        role=role,
                        member=principal(workload, number=args.number, workload_pool=args.workload_pool),
                        opts=pulumi.ResourceOptions(parent=self),
                    )
        self.register_outputs({})


def principal(workload: str, *, number: pulumi.Input[str], workload_pool: pulumi.Input[str]) -> pulumi.Output[str]:
    return principal_of((namespace(workload), SERVICE_ACCOUNT), number=number, workload_pool=workload_pool)


def principal_of(
    account: tuple[str, str], *, number: pulumi.Input[str], workload_pool: pulumi.Input[str]
) -> pulumi.Output[str]:
    """A service account, by namespace and name, as IAM names it (docs.cloud.google.com/iam, principal identifiers)."""
    return pulumi.Output.concat(
        "principal://iam.googleapis.com/projects/",
        number,
        "/locations/global/workloadIdentityPools/",
        workload_pool,
        f"/subject/ns/{account[0]}/sa/{account[1]}",
    )
