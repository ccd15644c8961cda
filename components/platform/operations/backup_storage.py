"""Where backups are kept: the provider's bucket, else the customer's own, else the object store in the cluster."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from components.platform.building_blocks.object_store_access import CA_KEY, store_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pulumi

    from components.context.placement import PlatformBucket
    from components.platform.building_blocks.context import PlatformContext

USER: Final = "velero"  # of the provider's bucket, and its prefix there
STORE_USER: Final = "backups"  # of the store in the cluster, and its bucket
AWS: Final = "velero-plugin-for-aws"  # everything that speaks S3
GCP: Final = "velero-plugin-for-gcp"
GOOGLE_ACCOUNT: Final = "iam.gke.io/gcp-service-account"
AMAZON: Final = ".amazonaws.com"
# Hosts whose buckets are names before theirs, and no path (docs.coreweave.com, Configure Endpoints); all others are
# asked by path, as MinIO and Ceph want it.
BY_NAME: Final = ("cwobject.com",)


@dataclass(frozen=True, kw_only=True)
class Location:
    """A place of backups as Velero is told it.

    Args:
        plugin: that speaks its API.
        config: of the plugin.
        access_key: with secret_key, where pods have no identity of their own there; "" else.
        annotations: of the service account.
        inside: whether it lies in the cluster that is backed up.
        authority: reference to the certificate authority, where it is ours.
    """

    plugin: str
    bucket: pulumi.Input[str]
    prefix: str
    config: Mapping[str, pulumi.Input[str]]
    access_key: pulumi.Input[str] = ""
    secret_key: pulumi.Input[str] = field(default="", repr=False)
    annotations: Mapping[str, pulumi.Input[str]] = field(default_factory=dict[str, "pulumi.Input[str]"])
    inside: bool = False
    authority: Mapping[str, object] = field(default_factory=dict[str, object])

    @property
    def provider(self) -> str:
        return f"velero.io/{self.plugin.rpartition('-')[2]}"

    @property
    def keyless(self) -> bool:
        return self.access_key == ""


def location(context: PlatformContext) -> Location:
    """The place for a cluster.

    Raises:
        AtollError: there is neither a bucket nor a store in the cluster.
    """
    bucket = context.handle.bucket
    if bucket is None:
        return _inside(context)
    return _google(bucket) if bucket.scheme == "gs" else _s3(bucket)


def _inside(context: PlatformContext) -> Location:
    store = store_of(STORE_USER, context)
    return Location(
        plugin=AWS,
        bucket=store.bucket,
        prefix=USER,
        config={"region": store.region, "s3Url": store.endpoint, "s3ForcePathStyle": "true", "checksumAlgorithm": ""},
        access_key=store.access_key,
        secret_key=store.secret_key,
        inside=True,
        authority={"caCertRef": {"name": store.ca_secret, "key": CA_KEY}},
    )


def _google(bucket: PlatformBucket) -> Location:
    """Velero signs addresses as the account that it is, so the place names it."""
    annotations = bucket.annotations.get(USER, {})
    account = annotations.get(GOOGLE_ACCOUNT)
    return Location(
        plugin=GCP,
        bucket=bucket.name,
        prefix=USER,
        config={} if account is None else {"serviceAccount": account},
        annotations=annotations,
    )


def _s3(bucket: PlatformBucket) -> Location:
    host = urlsplit(bucket.endpoint).netloc
    config: dict[str, str] = {"region": bucket.region}
    if not host.endswith(AMAZON):
        # Checksums of newer SDKs are refused by some stores (velero-plugin-for-aws, README, known issues).
        config |= {"s3Url": bucket.endpoint, "checksumAlgorithm": ""}
        config["s3ForcePathStyle"] = "false" if host.endswith(BY_NAME) else "true"
    return Location(
        plugin=AWS,
        bucket=bucket.name,
        prefix=USER,
        config=config,
        access_key=bucket.access_key,
        secret_key=bucket.secret_key,
        annotations=bucket.annotations.get(USER, {}),
    )
