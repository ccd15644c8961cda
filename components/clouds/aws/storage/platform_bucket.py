"""The bucket of the platform on AWS: backups and what must outlive the cluster, each user in a prefix of its own."""

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
# Barman, which backs PostgreSQL up, asks whether the bucket is there before it writes: S3 takes that for listing it
# without a prefix (EnterpriseDB/barman issue 929). The API of Pipelines asks so when it starts. These see the names of
# all objects, and read their own only.
ASKS_FOR_THE_BUCKET: Final = frozenset({"mlflow-database", "airflow-database", "pipelines"})


def register_platform_bucket(here: ClusterContext) -> tuple[PlatformBucket | None, Sequence[pulumi.Resource]]:
    """The bucket, and what lets its users in before they start; None where no platform is installed."""
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
    """One bucket, as private as those of the tiers; a destroy keeps it.

    Attributes:
        bucket: its name.
        arn: its ARN.
    """

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
    """Roles that pods of the platform take by pod identity, with no key in any secret.

    Attributes:
        ready: what is there before those pods start, which else run without rights.
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
        """Registers a role for each of `users`, by its name, which every account of the user takes."""
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
