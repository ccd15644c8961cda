"""The bucket of the platform on CoreWeave: backups and what must outlive the cluster, a prefix for each user."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_coreweave as coreweave
import pulumi_random as random

from components.clouds.coreweave.storage.buckets import ACTIONS, SUFFIX_BYTES
from components.context.buckets import NAME, OLD_DAYS, UPLOAD_DAYS, bucket_facts
from components.context.naming import build_physical_name, tags

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.platform.building_blocks.names import Account
    from planning.spec.cluster import ClusterSpec, Placement


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
        name=pulumi.Output.concat(build_physical_name(args.spec.placement, NAME), "-", suffix.hex),
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


# What the pod identity webhook of CoreWeave looks for (docs.coreweave.com, Pod Identity Webhook).
INJECT: Final = {"caios.coreweave.com/inject": "true"}
ON_BUCKET: Final = ("s3:ListBucket",)
ON_OBJECTS: Final = tuple(action for action in ACTIONS if action not in ON_BUCKET)


@dataclass(frozen=True, kw_only=True)
class PlatformAccessArgs:
    """Who, and to what.

    Args:
        issuer: URL that signs the tokens of the cluster's service accounts.
        users: user to service account; the name of the user is its prefix.
    """

    placement: Placement
    issuer: pulumi.Input[str]
    users: Mapping[str, Account]
    bucket: pulumi.Input[str]


@final
class PlatformAccess(pulumi.ComponentResource):
    """One access policy of the organisation, a statement for each user: objects below its prefix, names of them all.

    Lists cannot be told apart by prefix there: the policies of an organisation have no conditions.

    Attributes:
        annotations: what the service account of each user carries.
    """

    annotations: Mapping[str, Mapping[str, pulumi.Input[str]]]

    def __init__(self, name: str, args: PlatformAccessArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        facts = {"provider": args.placement.provider, "region": args.placement.region, "users": list(args.users)}
        super().__init__("atoll:access:PlatformAccess", name, facts, opts)
        roles = {user: _role(args.issuer, account) for user, account in args.users.items()}
        if roles:
            coreweave.ObjectStorageOrganizationAccessPolicy(
                "platform",
                name=build_physical_name(args.placement, "platform"),
                statements=[
                    *(_objects(user, role, bucket=args.bucket) for user, role in roles.items()),
                    {
                        "name": "names",
                        "effect": "Allow",
                        "actions": list(ON_BUCKET),
                        "principals": list(roles.values()),
                        "resources": [args.bucket],
                    },
                ],
                opts=pulumi.ResourceOptions(parent=self),
            )
        self.annotations = {user: dict(INJECT) for user in args.users}
        self.register_outputs({})


def _objects(
    user: str, role: pulumi.Output[str], *, bucket: pulumi.Input[str]
) -> coreweave.ObjectStorageOrganizationAccessPolicyStatementArgsDict:
    return {
        "name": user,
        "effect": "Allow",
        "actions": list(ON_OBJECTS),
        "principals": [role],
        "resources": [pulumi.Output.concat(bucket, f"/{user}/*")],
    }


def _role(issuer: pulumi.Input[str], account: Account) -> pulumi.Output[str]:
    """The role that a token exchange gives: issuer and subject (docs.coreweave.com, Use WIF with OIDC)."""
    return pulumi.Output.concat("role/", issuer, f":system:serviceaccount:{account.namespace}:{account.name}")
