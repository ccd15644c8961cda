"""Object storage on CoreWeave: buckets of the tiers and of the platform, and the rights of their users."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_coreweave as coreweave
import pulumi_random as random

from components.context.buckets import (
    INCOMPLETE_UPLOAD_DAYS,
    NAME,
    OLD_VERSION_DAYS,
    PLATFORM_VERSION_DAYS,
    describe_platform_bucket,
    describe_tier,
    purposes,
)
from components.context.names import SERVICE_ACCOUNT, namespace, workloads
from components.context.naming import build_physical_name, tags

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.context.placement import PlacementContext
    from components.platform.building_blocks.names import Account
    from planning.spec.cluster import Tier


ENDPOINT: Final = "https://cwobject.com"  # docs.coreweave.com, AI Object Storage
SUFFIX_BYTES: Final = 3  # bucket names are global
ACTIONS: Final = ("s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:ListBucket", "s3:AbortMultipartUpload")
ON_BUCKET: Final = ("s3:ListBucket",)
ON_OBJECTS: Final = tuple(action for action in ACTIONS if action not in ON_BUCKET)
# Label of CoreWeave's pod identity webhook (docs.coreweave.com, Pod Identity Webhook).
INJECT: Final = {"caios.coreweave.com/inject": "true"}


def create_bucket(
    name: str,
    site: PlacementContext,
    *,
    zone: str,
    suffix: pulumi.Output[str],
    old_version_days: int,
    parent: pulumi.Resource,
) -> pulumi.Output[str]:
    """Name of a versioned bucket that is retained on destroy."""
    bucket = coreweave.ObjectStorageBucket(
        name,
        name=pulumi.Output.concat(build_physical_name(site.placement, name), "-", suffix),
        zone=zone,
        tags=tags(site.spec),
        opts=pulumi.ResourceOptions(parent=parent, protect=True, retain_on_delete=True),
    )
    within = pulumi.ResourceOptions(parent=bucket, protect=False, retain_on_delete=True)  # it stays versioned
    versions = coreweave.ObjectStorageBucketVersioning(
        name, bucket=bucket.name, versioning_configuration={"status": "Enabled"}, opts=within
    )
    coreweave.ObjectStorageBucketLifecycleConfiguration(
        name,
        bucket=bucket.name,
        rules=[
            {
                "id": "leftovers",
                "status": "Enabled",
                "filter": {"prefix": ""},  # the rule's own prefix is refused (terraform-provider-coreweave, May 2026)
                "abort_incomplete_multipart_upload": {"days_after_initiation": INCOMPLETE_UPLOAD_DAYS},
                "noncurrent_version_expiration": {"noncurrent_days": old_version_days},
            }
        ],
        opts=pulumi.ResourceOptions.merge(within, pulumi.ResourceOptions(depends_on=[versions])),
    )
    return bucket.name


def _create_suffix(name: str, *, parent: pulumi.Resource) -> pulumi.Output[str]:
    opts = pulumi.ResourceOptions(parent=parent)
    return random.RandomId(f"suffix-{name}", byte_length=SUFFIX_BYTES, opts=opts).hex


@final
class ObjectTier(pulumi.ComponentResource):
    """The versioned buckets of one tier.

    CoreWeave encrypts them; they take no key of the customer's. No policy requires TLS: clusters reach them over a
    proxy on each node, http://cwlota.com (docs.coreweave.com, About LOTA).

    Attributes:
        buckets: names by purpose.
    """

    buckets: Mapping[str, pulumi.Output[str]]

    def __init__(self, tier: Tier, *, site: PlacementContext, zone: str, opts: pulumi.ResourceOptions) -> None:
        super().__init__("atoll:storage:ObjectTier", f"tier-{tier.tier}", describe_tier(site, tier), opts)
        suffix = _create_suffix(tier.tier, parent=self)
        self.buckets = {
            purpose: create_bucket(
                f"{tier.tier}-{purpose}",
                site,
                zone=zone,
                suffix=suffix,
                old_version_days=OLD_VERSION_DAYS,
                parent=self,
            )
            for purpose in purposes(tier)
        }
        self.register_outputs({"buckets": dict(self.buckets)})


@final
class BucketAccess(pulumi.ComponentResource):
    """One access policy of the organisation, for the workloads of this cluster only."""

    def __init__(
        self,
        name: str,
        buckets: Sequence[pulumi.Input[str]],
        *,
        site: PlacementContext,
        issuer: pulumi.Input[str],
        opts: pulumi.ResourceOptions,
    ) -> None:
        """`issuer` signs the tokens of the cluster's service accounts."""
        super().__init__("atoll:access:BucketAccess", name, site.describe(), opts)
        names = workloads(site.spec)
        if names:
            coreweave.ObjectStorageOrganizationAccessPolicy(
                "workloads",
                name=build_physical_name(site.placement, "workloads"),
                statements=[
                    {
                        "name": "workloads",
                        "effect": "Allow",
                        "actions": list(ACTIONS),
                        "principals": [
                            _build_principal(issuer, (namespace(workload), SERVICE_ACCOUNT)) for workload in names
                        ],
                        "resources": list(buckets),
                    }
                ],
                opts=pulumi.ResourceOptions(parent=self),
            )
        self.register_outputs({})


@final
class PlatformStorage(pulumi.ComponentResource):
    """One versioned bucket, retained on destroy; `bucket` is its name."""

    bucket: pulumi.Output[str]

    def __init__(self, name: str, site: PlacementContext, *, zone: str, opts: pulumi.ResourceOptions) -> None:
        super().__init__("atoll:storage:PlatformStorage", name, describe_platform_bucket(site), opts)
        suffix = _create_suffix("platform", parent=self)
        self.bucket = create_bucket(
            NAME, site, zone=zone, suffix=suffix, old_version_days=PLATFORM_VERSION_DAYS, parent=self
        )
        self.register_outputs({"bucket": self.bucket})


@final
class PlatformAccess(pulumi.ComponentResource):
    """One access policy of the organisation: each user has the objects below its prefix, and may list all names.

    Listing cannot be limited to a prefix: policies of an organisation have no conditions.

    Attributes:
        annotations: of the service account of each user.
    """

    annotations: Mapping[str, Mapping[str, pulumi.Input[str]]]

    def __init__(
        self,
        name: str,
        users: Mapping[str, Account],
        *,
        site: PlacementContext,
        bucket: pulumi.Input[str],
        issuer: pulumi.Input[str],
        opts: pulumi.ResourceOptions,
    ) -> None:
        """The names of `users` are their prefixes; `issuer` as for workloads."""
        super().__init__("atoll:access:PlatformAccess", name, site.describe(users=list(users)), opts)
        principals = {user: _build_principal(issuer, account) for user, account in users.items()}
        statements: list[coreweave.ObjectStorageOrganizationAccessPolicyStatementArgsDict] = [
            {
                "name": user,
                "effect": "Allow",
                "actions": list(ON_OBJECTS),
                "principals": [principal],
                "resources": [pulumi.Output.concat(bucket, f"/{user}/*")],
            }
            for user, principal in principals.items()
        ]
        statements.append(
            {
                "name": "names",
                "effect": "Allow",
                "actions": list(ON_BUCKET),
                "principals": list(principals.values()),
                "resources": [bucket],
            }
        )
        if users:
            coreweave.ObjectStorageOrganizationAccessPolicy(
                "platform",
                name=build_physical_name(site.placement, "platform"),
                statements=statements,
                opts=pulumi.ResourceOptions(parent=self),
            )
        self.annotations = {user: dict(INJECT) for user in users}
        self.register_outputs({})


def _build_principal(issuer: pulumi.Input[str], account: tuple[str, str]) -> pulumi.Output[str]:
    """The role of a token exchange: issuer and subject (docs.coreweave.com, Use WIF with OIDC)."""
    return pulumi.Output.concat("role/", issuer, f":system:serviceaccount:{account[0]}:{account[1]}")
