"""Who may use the bucket of the platform on AWS: one role for each user, which reaches its own prefix and no other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi

from components.access.aws_buckets import KEY_ACTIONS, OBJECT_ACTIONS
from components.access.aws_iam import document, pod_role

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.platform.names import Account

PART_ACTIONS: Final = ("s3:ListMultipartUploadParts",)
# Barman, which backs PostgreSQL up, asks whether the bucket is there before it writes: S3 takes that for listing it
# without a prefix (EnterpriseDB/barman issue 929). So these see the names of all objects, and read their own only.
ASKS_FOR_THE_BUCKET: Final = frozenset({"mlflow-database", "airflow-database"})


@dataclass(frozen=True, kw_only=True)
class PlatformAccessArgs:
    """Who, and to what.

    Args:
        users: user to service account; the name of the user is its prefix.
    """

    cluster_name: pulumi.Input[str]
    users: Mapping[str, Account]
    bucket_arn: pulumi.Input[str]
    key_arn: pulumi.Input[str]


@final
class PlatformAccess(pulumi.ComponentResource):
    """Roles that pods of the platform take by pod identity, with no key in any secret."""

    def __init__(self, name: str, args: PlatformAccessArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:access:PlatformAccess", name, {"users": list(args.users)}, opts)
        for user, account in args.users.items():
            pod_role(
                f"platform-{user}",
                service_account=account,
                cluster_name=args.cluster_name,
                policies={"bucket": _policy(user, args)},
                parent=self,
            )
        self.register_outputs({})


def _policy(user: str, args: PlatformAccessArgs) -> pulumi.Output[str]:
    objects = pulumi.Output.concat(args.bucket_arn, f"/{user}/*")
    return document(rights(user, bucket=args.bucket_arn, objects=objects, key=args.key_arn))


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
