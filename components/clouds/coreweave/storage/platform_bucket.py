"""The bucket of the platform on CoreWeave: backups and what must outlive the cluster, a prefix for each user."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import pulumi
import pulumi_coreweave as coreweave
import pulumi_random as random

from components.clouds.coreweave.storage.buckets import SUFFIX_BYTES
from components.context.naming import physical, tags
from components.context.platform_bucket import NAME, OLD_DAYS, UPLOAD_DAYS, bucket_facts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planning.spec.cluster import ClusterSpec


@dataclass(frozen=True, kw_only=True)
class PlatformStorageArgs:
    """Where, and the declared charge of what lies in the bucket."""

    spec: ClusterSpec
    zone: str
    charges: Sequence[dict[str, object]]


@final
class PlatformStorage(pulumi.ComponentResource):
    """One versioned bucket, encrypted by CoreWeave like those of the tiers; a destroy keeps it.

    Attributes:
        bucket: its name.
    """

    bucket: pulumi.Output[str]

    def __init__(self, name: str, args: PlatformStorageArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:storage:PlatformStorage", name, bucket_facts(args.spec.placement, args.charges), opts)
        self.bucket = _bucket(args, parent=self).name
        self.register_outputs({"bucket": self.bucket})


def _bucket(args: PlatformStorageArgs, *, parent: PlatformStorage) -> coreweave.ObjectStorageBucket:
    suffix = random.RandomId("suffix-platform", byte_length=SUFFIX_BYTES, opts=pulumi.ResourceOptions(parent=parent))
    bucket = coreweave.ObjectStorageBucket(
        NAME,
        name=pulumi.Output.concat(physical(args.spec.placement, NAME), "-", suffix.hex),
        zone=args.zone,
        tags=tags(args.spec),
        opts=pulumi.ResourceOptions(parent=parent, protect=True, retain_on_delete=True),
    )
    within = pulumi.ResourceOptions(parent=bucket, protect=False, retain_on_delete=True)
    versions = coreweave.ObjectStorageBucketVersioning(
        NAME, bucket=bucket.name, versioning_configuration={"status": "Enabled"}, opts=within
    )
    coreweave.ObjectStorageBucketLifecycleConfiguration(
        NAME,
        bucket=bucket.name,
        rules=[
            {
                "id": "leftovers",
                "status": "Enabled",
                "filter": {"prefix": ""},
                "abort_incomplete_multipart_upload": {"days_after_initiation": UPLOAD_DAYS},
                "noncurrent_version_expiration": {"noncurrent_days": OLD_DAYS},
            }
        ],
        opts=pulumi.ResourceOptions.merge(within, pulumi.ResourceOptions(depends_on=[versions])),
    )
    return bucket
