"""The platform's bucket on Google Cloud, for backups and other data that outlives the cluster; a prefix per user."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_gcp as gcp

from components.clouds.gcp.account.names import ACCOUNT_LENGTH, build_gcp_name, build_principal
from components.clouds.gcp.storage.buckets import BUCKET_VIEWER, OBJECT_USER, create_private_bucket
from components.context.buckets import NAME, PLATFORM_VERSION_DAYS, describe_platform_bucket
from components.context.placement import PlatformBucket
from components.platform.building_blocks.object_store_access import bucket_users, list_visitors

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.clouds.gcp.cluster.context import ClusterContext
    from components.platform.building_blocks.names import Account
    from components.platform.building_blocks.object_store_access import Visitor


ANNOTATION: Final = "iam.gke.io/gcp-service-account"
SIGNER: Final = "roles/iam.serviceAccountTokenCreator"  # Velero signs URLs of its logs
SIGNS: Final = frozenset({"velero"})


def register_platform_bucket(here: ClusterContext) -> PlatformBucket | None:
    """The bucket and the rights of its users; None without a platform."""
    platform = here.spec.platform
    if platform is None:
        return None
    storage = PlatformStorage("platform-bucket", here, opts=here.options(depends_on=here.key.granted))
    access = PlatformAccess(
        "platform-access",
        bucket_users(platform),
        list_visitors(here.spec),
        here=here,
        bucket=storage.bucket,
        opts=here.after_cluster,
    )
    return PlatformBucket(
        name=storage.bucket,
        endpoint="https://storage.googleapis.com",
        region=here.site.placement.region,
        scheme="gs",
        annotations=access.annotations,
    )


@final
class PlatformStorage(pulumi.ComponentResource):
    """One private bucket, retained on destroy; `bucket` is its name."""

    bucket: pulumi.Output[str]

    def __init__(self, name: str, here: ClusterContext, *, opts: pulumi.ResourceOptions) -> None:
        super().__init__("atoll:storage:PlatformStorage", name, describe_platform_bucket(here.site), opts)
        self.bucket = create_private_bucket(NAME, here, old_version_days=PLATFORM_VERSION_DAYS, parent=self).name
        self.register_outputs({"bucket": self.bucket})


@final
class PlatformAccess(pulumi.ComponentResource):
    """A Google service account for each user, used by workload identity without keys.

    Attributes:
        annotations: of the Kubernetes service account of each user.
    """

    annotations: Mapping[str, Mapping[str, pulumi.Input[str]]]

    def __init__(
        self,
        name: str,
        users: Mapping[str, Account],
        visitors: Mapping[str, Visitor],
        *,
        here: ClusterContext,
        bucket: pulumi.Input[str],
        opts: pulumi.ResourceOptions,
    ) -> None:
        """The names of `users` are their prefixes; `visitors` get rights without an account."""
        super().__init__("atoll:access:PlatformAccess", name, {"users": [*users, *visitors]}, opts)
        accounts = {user: self._create_account(user, account, here) for user, account in users.items()}
        for user, account in accounts.items():
            member = pulumi.Output.concat("serviceAccount:", account.email)
            _grant(user, member, user, bucket=bucket, parent=account)
        for who in visitors.values():
            for account in who.accounts:
                member = build_principal(account, number=here.number, workload_pool=here.cluster.workload_pool)
                for prefix in who.prefixes:
                    right = f"{account.namespace}-{account.name}-{prefix}"
                    _grant(right, member, prefix, bucket=bucket, parent=self)
        self.annotations = {user: {ANNOTATION: account.email} for user, account in accounts.items()}
        self.register_outputs({})

    def _create_account(self, user: str, taker: Account, here: ClusterContext) -> gcp.serviceaccount.Account:
        """The account, which the Kubernetes service account `taker` may use."""
        account = gcp.serviceaccount.Account(
            f"platform-{user}",
            account_id=build_gcp_name(here.site.placement, user, longest=ACCOUNT_LENGTH),
            display_name=f"Atoll: {user} in the bucket of the platform",
            opts=pulumi.ResourceOptions(parent=self),
        )
        pool = here.cluster.workload_pool
        taken_by = pulumi.Output.concat("serviceAccount:", pool, f"[{taker.namespace}/{taker.name}]")
        rights = {f"platform-{user}": ("roles/iam.workloadIdentityUser", taken_by)}
        if user in SIGNS:
            rights[f"platform-{user}-signs"] = (SIGNER, pulumi.Output.concat("serviceAccount:", account.email))
        for right, (role, member) in rights.items():
            gcp.serviceaccount.IAMMember(
                right,
                service_account_id=account.name,
                role=role,
                member=member,
                opts=pulumi.ResourceOptions(parent=account),
            )
        return account


def _grant(
    name: str, member: pulumi.Input[str], prefix: str, *, bucket: pulumi.Input[str], parent: pulumi.Resource
) -> None:
    """Rights on objects below a prefix, and on lists of it (docs.cloud.google.com/iam: objectListPrefix)."""
    inside = pulumi.ResourceOptions(parent=parent)
    below = pulumi.Output.concat(
        'resource.name.startsWith("projects/_/buckets/',
        bucket,
        f'/objects/{prefix}/") || '
        f'api.getAttribute("storage.googleapis.com/objectListPrefix", "").startsWith("{prefix}/")',
    )
    gcp.storage.BucketIAMMember(
        f"platform-{name}-objects",
        bucket=bucket,
        role=OBJECT_USER,
        member=member,
        condition={"title": f"prefix-{prefix}", "expression": below},
        opts=inside,
    )
    gcp.storage.BucketIAMMember(
        # Clients first check that the bucket exists; that right lists nothing.
        f"platform-{name}-bucket",
        bucket=bucket,
        role=BUCKET_VIEWER,
        member=member,
        opts=inside,
    )
