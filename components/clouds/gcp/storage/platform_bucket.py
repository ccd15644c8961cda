"""The bucket of the platform on Google Cloud: backups and what must outlive the cluster, a prefix for each user."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_gcp as gcp

from components.clouds.gcp.account.names import ACCOUNT_LENGTH, build_gcp_name
from components.clouds.gcp.storage.buckets import UNDELETE_S, principal_of
from components.context.buckets import NAME, OLD_DAYS, OWNER, UPLOAD_DAYS, bucket_facts
from components.context.placement import PlatformBucket
from components.platform.building_blocks.object_store_access import bucket_users, list_visitors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.clouds.gcp.cluster.context import ClusterContext
    from components.clouds.gcp.cluster.control_plane import Cluster
    from components.platform.building_blocks.names import Account
    from components.platform.building_blocks.object_store_access import Visitor
    from planning.spec.cluster import Placement


ANNOTATION: Final = "iam.gke.io/gcp-service-account"
OBJECTS: Final = "roles/storage.objectUser"
BUCKET: Final = "roles/storage.bucketViewer"  # that the bucket is there, which clients ask first; it lists nothing
SIGNER: Final = "roles/iam.serviceAccountTokenCreator"  # Velero signs the addresses that its logs are read at
SIGNS: Final = frozenset({"velero"})


@dataclass(frozen=True, kw_only=True)
class PlatformAccessArgs:
    """Who, and to what.

    Args:
        workload_pool: issuer of the pods' identities.
        users: user to service account; the name of the user is its prefix.
        visitors: who else gets in, by name.
        number: of the project.
    """

    placement: Placement
    workload_pool: pulumi.Input[str]
    number: pulumi.Input[str]
    users: Mapping[str, Account]
    visitors: Mapping[str, Visitor]
    bucket: pulumi.Input[str]


@final
class PlatformAccess(pulumi.ComponentResource):
    """A Google account for each user, taken by workload identity, with no key in any secret.

    Attributes:
        annotations: what the service account of each user carries.
    """

    annotations: Mapping[str, Mapping[str, pulumi.Input[str]]]

    def __init__(self, name: str, args: PlatformAccessArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:access:PlatformAccess", name, {"users": [*args.users, *args.visitors]}, opts)
        made = {user: _account(user, args, parent=self) for user in args.users}
        for user, account in made.items():
            member = pulumi.Output.concat("serviceAccount:", account.email)
            _rights(user, member, user, args, parent=account)
        for who in args.visitors.values():
            for account in who.accounts:
                member = principal_of(account, number=args.number, workload_pool=args.workload_pool)
                for prefix in who.prefixes:
                    _rights(f"{account.namespace}-{account.name}-{prefix}", member, prefix, args, parent=self)
        self.annotations = {user: {ANNOTATION: account.email} for user, account in made.items()}
        self.register_outputs({})


def _account(user: str, args: PlatformAccessArgs, *, parent: PlatformAccess) -> gcp.serviceaccount.Account:
    """The account, and the right of the cluster's service account to take it."""
    there = args.users[user]
    account = gcp.serviceaccount.Account(
        f"platform-{user}",
        account_id=build_gcp_name(args.placement, user, longest=ACCOUNT_LENGTH),
        display_name=f"Atoll: {user} in the bucket of the platform",
        opts=pulumi.ResourceOptions(parent=parent),
    )
    taker = pulumi.Output.concat("serviceAccount:", args.workload_pool, f"[{there.namespace}/{there.name}]")
    _of_account(f"platform-{user}", account, role="roles/iam.workloadIdentityUser", member=taker)
    if user in SIGNS:
        itself = pulumi.Output.concat("serviceAccount:", account.email)
        _of_account(f"platform-{user}-signs", account, role=SIGNER, member=itself)
    return account


def _of_account(name: str, account: gcp.serviceaccount.Account, *, role: str, member: pulumi.Input[str]) -> None:
    gcp.serviceaccount.IAMMember(
        name,
        service_account_id=account.name,
        role=role,
        member=member,
        opts=pulumi.ResourceOptions(parent=account),
    )


def _rights(
    name: str, member: pulumi.Input[str], prefix: str, args: PlatformAccessArgs, *, parent: pulumi.Resource
) -> None:
    """Objects below the prefix, and lists that begin with it (docs.cloud.google.com/iam: objectListPrefix)."""
    inside = pulumi.ResourceOptions(parent=parent)
    below = pulumi.Output.concat(
        'resource.name.startsWith("projects/_/buckets/',
        args.bucket,
        f'/objects/{prefix}/") || '
        f'api.getAttribute("storage.googleapis.com/objectListPrefix", "").startsWith("{prefix}/")',
    )
    gcp.storage.BucketIAMMember(
        f"platform-{name}-objects",
        bucket=args.bucket,
        role=OBJECTS,
        member=member,
        condition={"title": f"prefix-{prefix}", "expression": below},
        opts=inside,
    )
    gcp.storage.BucketIAMMember(f"platform-{name}-bucket", bucket=args.bucket, role=BUCKET, member=member, opts=inside)


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


def platform_bucket(ground: ClusterContext, *, cluster: Cluster) -> PlatformBucket | None:
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
        visitors=list_visitors(site.spec),
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
