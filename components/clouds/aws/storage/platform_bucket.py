"""The platform's bucket on AWS, for backups and other data that outlives the cluster; each user has a prefix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import pulumi

from components.clouds.aws.account.bucket import create_private_bucket, delete_leftovers
from components.clouds.aws.account.iam import Statement, associate, build_document, build_statement, create_pod_role
from components.clouds.aws.storage.buckets import KEY_ACTIONS, OBJECT_ACTIONS
from components.context.buckets import NAME, PLATFORM_VERSION_DAYS, describe_platform_bucket
from components.context.placement import PlatformBucket
from components.platform.building_blocks.object_store_access import Visitor, bucket_users, list_visitors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.clouds.aws.cluster.context import ClusterContext


PART_ACTIONS: Final = ("s3:ListMultipartUploadParts",)
# Barman, the backup tool of PostgreSQL, checks the bucket before it writes, which to S3 is a list without a prefix
# (EnterpriseDB/barman issue 929). The API of Pipelines does so at its start. These users see the names of all objects
# and read only their own.
ASKS_FOR_THE_BUCKET: Final = frozenset({"mlflow-database", "airflow-database", "pipelines"})


def register_platform_bucket(here: ClusterContext) -> tuple[PlatformBucket | None, Sequence[pulumi.Resource]]:
    """The bucket, and the rights that its users start after; None without a platform."""
    platform = here.spec.platform
    if platform is None:
        return None, ()
    storage = PlatformStorage("platform-bucket", here, opts=here.options())
    users = {user: Visitor((account,), (user,)) for user, account in bucket_users(platform).items()}
    access = PlatformAccess(
        "platform-access",
        users | dict(list_visitors(here.spec)),
        here=here,
        bucket_arn=storage.arn,
        opts=here.options(),
    )
    endpoint = f"https://s3.{here.region}.amazonaws.com"
    return PlatformBucket(name=storage.bucket, endpoint=endpoint, region=here.region), access.ready


@final
class PlatformStorage(pulumi.ComponentResource):
    """One private bucket, retained on destroy; `bucket` is its name."""

    bucket: pulumi.Output[str]
    arn: pulumi.Output[str]

    def __init__(self, name: str, here: ClusterContext, *, opts: pulumi.ResourceOptions) -> None:
        super().__init__("atoll:storage:PlatformStorage", name, describe_platform_bucket(here.site), opts)
        rules = [delete_leftovers(old_version_days=PLATFORM_VERSION_DAYS)]
        bucket, _ = create_private_bucket(NAME, key_arn=here.key.arn, rules=rules, parent=self)
        self.bucket, self.arn = bucket.bucket, bucket.arn
        self.register_outputs({"bucket": self.bucket})


@final
class PlatformAccess(pulumi.ComponentResource):
    """Roles that pods of the platform assume by EKS Pod Identity, without keys in secrets.

    Attributes:
        ready: those pods must start after it, else they run without rights.
    """

    ready: Sequence[pulumi.Resource]

    def __init__(
        self,
        name: str,
        users: Mapping[str, Visitor],
        *,
        here: ClusterContext,
        bucket_arn: pulumi.Input[str],
        opts: pulumi.ResourceOptions,
    ) -> None:
        """Registers a role for each of `users`, by name, for every service account of the user."""
        super().__init__("atoll:access:PlatformAccess", name, {"users": list(users)}, opts)
        cluster, key = here.cluster.resource.name, here.key.arn
        ready: list[pulumi.Resource] = []
        for user, who in users.items():
            first, *others = who.accounts
            statements = [
                statement
                for prefix in who.prefixes
                for statement in rights(
                    prefix, bucket=bucket_arn, objects=pulumi.Output.concat(bucket_arn, f"/{prefix}/*"), key=key
                )
            ]
            role, needed = create_pod_role(
                f"platform-{user}",
                service_account=first,
                cluster_name=cluster,
                policies={"bucket": build_document(*statements)},
                parent=self,
            )
            ready += needed
            for account in others:
                ready.append(associate(f"platform-{account.name}", role, account, cluster_name=cluster, parent=self))
        self.ready = ready
        self.register_outputs({})


def rights(
    user: str, *, bucket: pulumi.Input[str], objects: pulumi.Input[str], key: pulumi.Input[str]
) -> list[Statement]:
    """Statements of a user's policy.

    Args:
        bucket: ARN.
        objects: ARN of the objects below the user's prefix.
        key: ARN.
    """
    listed: list[dict[str, dict[str, object]]] = [{"StringLike": {"s3:prefix": [user, f"{user}/*"]}}]
    if user in ASKS_FOR_THE_BUCKET:
        listed.append({"Null": {"s3:prefix": "true"}})
    return [
        build_statement((*OBJECT_ACTIONS, *PART_ACTIONS), objects),
        *(build_statement(("s3:ListBucket",), bucket, condition=condition) for condition in listed),
        build_statement(("s3:GetBucketLocation", "s3:ListBucketMultipartUploads"), bucket),
        build_statement(KEY_ACTIONS, key),
    ]
