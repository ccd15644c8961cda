"""The bucket of the platform on AWS: backups and what must outlive the cluster, each user in a prefix of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_aws as aws

from components.clouds.aws.account.bucket import BucketArgs, shut_bucket
from components.clouds.aws.account.iam import document, pod_role
from components.clouds.aws.storage.buckets import KEY_ACTIONS, OBJECT_ACTIONS
from components.context.buckets import NAME, OLD_DAYS, OWNER, UPLOAD_DAYS, bucket_facts
from components.context.placement import PlatformBucket
from components.platform.building_blocks.object_store_access import Visitor, bucket_users, list_visitors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.clouds.aws.cluster.context import ClusterContext
    from components.platform.building_blocks.names import Account
    from planning.spec.cluster import Placement


PART_ACTIONS: Final = ("s3:ListMultipartUploadParts",)
# Barman, which backs PostgreSQL up, asks whether the bucket is there before it writes: S3 takes that for listing it
# without a prefix (EnterpriseDB/barman issue 929). The API of Pipelines asks so when it starts. These see the names of
# all objects, and read their own only.
ASKS_FOR_THE_BUCKET: Final = frozenset({"mlflow-database", "airflow-database", "pipelines"})


@dataclass(frozen=True, kw_only=True)
class PlatformAccessArgs:
    """Who, and to what.

    Args:
        users: user to service account; the name of the user is its prefix.
        visitors: who else gets in, by name of the role.
    """

    cluster_name: pulumi.Input[str]
    users: Mapping[str, Account]
    visitors: Mapping[str, Visitor]
    bucket_arn: pulumi.Input[str]
    key_arn: pulumi.Input[str]


@final
class PlatformAccess(pulumi.ComponentResource):
    """Roles that pods of the platform take by pod identity, with no key in any secret.

    Attributes:
        ready: what is there before those pods start, which else run without rights.
    """

    ready: Sequence[pulumi.Resource]

    def __init__(self, name: str, args: PlatformAccessArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:access:PlatformAccess", name, {"users": [*args.users, *args.visitors]}, opts)
        roles = {user: Visitor((account,), (user,)) for user, account in args.users.items()} | dict(args.visitors)
        self.ready = [each for role, who in roles.items() for each in _role(role, who, args, parent=self)]
        self.register_outputs({})


def _role(name: str, who: Visitor, args: PlatformAccessArgs, *, parent: PlatformAccess) -> list[pulumi.Resource]:
    """One role, which every account of the visitor takes."""
    first, *others = who.accounts
    made, ready = pod_role(
        f"platform-{name}",
        service_account=first,
        cluster_name=args.cluster_name,
        policies={"bucket": _policy(who.prefixes, args)},
        parent=parent,
    )
    taken = [
        aws.eks.PodIdentityAssociation(
            f"platform-{account.name}",
            cluster_name=args.cluster_name,
            namespace=account.namespace,
            service_account=account.name,
            role_arn=made.arn,
            opts=pulumi.ResourceOptions(parent=parent),
        )
        for account in others
    ]
    return [*ready, *taken]


def _policy(prefixes: Sequence[str], args: PlatformAccessArgs) -> pulumi.Output[str]:
    bucket, key = args.bucket_arn, args.key_arn
    return document(
        [
            statement
            for prefix in prefixes
            for statement in rights(
                prefix, bucket=bucket, objects=pulumi.Output.concat(bucket, f"/{prefix}/*"), key=key
            )
        ]
    )


def rights(
    user: str, *, bucket: pulumi.Input[str], objects: pulumi.Input[str], key: pulumi.Input[str]
) -> list[dict[str, object]]:
    """Statements of a user's policy.

    Args:
        bucket: ARN.
        objects: ARN of the objects below the user's prefix.
        key: ARN.
    """
    listed: list[dict[str, object]] = [{"StringLike": {"s3:prefix": [user, f"{user}/*"]}}]
    if user in ASKS_FOR_THE_BUCKET:
        listed.append({"Null": {"s3:prefix": "true"}})
    return [
        _allow((*OBJECT_ACTIONS, *PART_ACTIONS), objects),
        *({**_allow(("s3:ListBucket",), bucket), "Condition": condition} for condition in listed),
        _allow(("s3:GetBucketLocation", "s3:ListBucketMultipartUploads"), bucket),
        _allow(KEY_ACTIONS, key),
    ]


def _allow(actions: tuple[str, ...], resource: pulumi.Input[str]) -> dict[str, object]:
    return {"Effect": "Allow", "Action": list(actions), "Resource": resource}


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


def platform_bucket(ground: ClusterContext) -> tuple[PlatformBucket | None, Sequence[pulumi.Resource]]:
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
        visitors=list_visitors(ground.spec),
        bucket_arn=storage.arn,
        key_arn=ground.key.arn,
    )
    made = PlatformAccess("platform-access", access, opts=ground.options())
    region = ground.spec.placement.region
    bucket = PlatformBucket(name=storage.bucket, endpoint=f"https://s3.{region}.amazonaws.com", region=region)
    return bucket, made.ready
