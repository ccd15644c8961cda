"""The bucket of the platform on AWS: backups and what must outlive the cluster, each user in a prefix of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import pulumi

from components.clouds.aws.account.bucket import BucketArgs, shut_bucket
from components.clouds.aws.storage.platform_bucket_access import PlatformAccess, PlatformAccessArgs
from components.context.placement import PlatformBucket
from components.context.platform_bucket import NAME, OLD_DAYS, OWNER, UPLOAD_DAYS, bucket_facts
from components.platform.building_blocks.bucket_users import bucket_users, visitors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.clouds.aws.cluster.context import Ground
    from planning.spec.cluster import Placement


@dataclass(frozen=True, kw_only=True)
class PlatformStorageArgs:
    """The key, and the declared charge of what lies in the bucket."""

    placement: Placement
    key_arn: pulumi.Input[str]
    charges: Sequence[dict[str, object]]


@final
class PlatformStorage(pulumi.ComponentResource):
    """One bucket, shut like those of the tiers; a destroy keeps it.

    Attributes:
        bucket: its name.
        arn: its ARN.
    """

    bucket: pulumi.Output[str]
    arn: pulumi.Output[str]

    def __init__(self, name: str, args: PlatformStorageArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:storage:PlatformStorage", name, bucket_facts(args.placement, args.charges), opts)
        made = shut_bucket(
            NAME,
            BucketArgs(
                key_arn=args.key_arn,
                rules=[
                    {
                        "id": "leftovers",
                        "status": "Enabled",
                        "filter": {},
                        "abort_incomplete_multipart_upload": {"days_after_initiation": UPLOAD_DAYS},
                        "noncurrent_version_expiration": {"noncurrent_days": OLD_DAYS},
                    }
                ],
            ),
            parent=self,
        ).bucket
        self.bucket, self.arn = made.bucket, made.arn
        self.register_outputs({"bucket": self.bucket})


def platform_bucket(ground: Ground) -> tuple[PlatformBucket | None, Sequence[pulumi.Resource]]:
    """The bucket, and what lets its users in before they start; None where no platform is installed."""
    platform = ground.spec.platform
    if platform is None:
        return None, ()
    args = PlatformStorageArgs(
        placement=ground.spec.placement, key_arn=ground.key.arn, charges=ground.site.ledger.claim(OWNER)
    )
    storage = PlatformStorage("platform-bucket", args, opts=ground.options())
    access = PlatformAccessArgs(
        cluster_name=ground.cluster.resource.name,
        users=bucket_users(platform),
        visitors=visitors(ground.spec),
        bucket_arn=storage.arn,
        key_arn=ground.key.arn,
    )
    made = PlatformAccess("platform-access", access, opts=ground.options())
    region = ground.spec.placement.region
    bucket = PlatformBucket(name=storage.bucket, endpoint=f"https://s3.{region}.amazonaws.com", region=region)
    return bucket, made.ready
