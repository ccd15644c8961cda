"""The bucket of the platform on Google Cloud: backups and what must outlive the cluster, a prefix for each user."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import pulumi
import pulumi_gcp as gcp

from components.clouds.gcp.storage.buckets import UNDELETE_S
from components.clouds.gcp.storage.platform_bucket_access import PlatformAccess, PlatformAccessArgs
from components.context.placement import PlatformBucket
from components.context.platform_bucket import NAME, OLD_DAYS, OWNER, UPLOAD_DAYS, bucket_facts
from components.platform.building_blocks.bucket_users import bucket_users, visitors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.clouds.gcp.cluster.context import Ground
    from components.clouds.gcp.cluster.control_plane import Cluster
    from planning.spec.cluster import Placement


@dataclass(frozen=True, kw_only=True)
class PlatformStorageArgs:
    """The key, and the declared charge of what lies in the bucket."""

    placement: Placement
    key_id: pulumi.Input[str]
    labels: Mapping[str, str]
    charges: Sequence[dict[str, object]]


@final
class PlatformStorage(pulumi.ComponentResource):
    """One bucket, shut like those of the tiers; a destroy keeps it.

    Attributes:
        bucket: its name.
    """

    bucket: pulumi.Output[str]

    def __init__(self, name: str, args: PlatformStorageArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:storage:PlatformStorage", name, bucket_facts(args.placement, args.charges), opts)
        self.bucket = _bucket(args, parent=self).name
        self.register_outputs({"bucket": self.bucket})


def _bucket(args: PlatformStorageArgs, *, parent: PlatformStorage) -> gcp.storage.Bucket:
    return gcp.storage.Bucket(
        NAME,
        location=args.placement.region,
        storage_class="STANDARD",
        uniform_bucket_level_access=True,
        public_access_prevention="enforced",
        encryption={"default_kms_key_name": args.key_id},
        versioning={"enabled": True},
        soft_delete_policy={"retention_duration_seconds": UNDELETE_S},
        lifecycle_rules=[
            {"action": {"type": "AbortIncompleteMultipartUpload"}, "condition": {"age": UPLOAD_DAYS}},
            {
                "action": {"type": "Delete"},
                "condition": {"days_since_noncurrent_time": OLD_DAYS, "with_state": "ARCHIVED"},
            },
        ],
        force_destroy=False,
        labels=dict(args.labels),
        opts=pulumi.ResourceOptions(parent=parent, protect=True, retain_on_delete=True),
    )


def platform_bucket(ground: Ground, *, cluster: Cluster) -> PlatformBucket | None:
    """The bucket and who may use it; None where no platform is installed."""
    site, platform = ground.site, ground.site.spec.platform
    if platform is None:
        return None
    args = PlatformStorageArgs(
        placement=site.placement, key_id=ground.key.id, labels=ground.labels, charges=site.ledger.claim(OWNER)
    )
    options = site.options(provider=ground.gcp, depends_on=ground.key.granted)
    storage = PlatformStorage("platform-bucket", args, opts=options)
    users = PlatformAccessArgs(
        placement=site.placement,
        workload_pool=cluster.workload_pool,
        number=ground.number,
        users=bucket_users(platform),
        visitors=visitors(site.spec),
        bucket=storage.bucket,
    )
    # The pool of identities is there once the first cluster of the project is.
    after = site.options(provider=ground.gcp, depends_on=[cluster.resource])
    access = PlatformAccess("platform-access", users, opts=after)
    return PlatformBucket(
        name=storage.bucket,
        endpoint="https://storage.googleapis.com",
        region=site.placement.region,
        scheme="gs",
        annotations=access.annotations,
    )
