"""Velero: scheduled backups of the cluster's objects and volumes in a bucket."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import pulumi
import pulumi_kubernetes as kubernetes
import yaml

from catalogs.providers import find_traits
from catalogs.software.reader import images_of
from components.context.names import METADATA_ADDRESS, POD_IDENTITY_ADDRESS
from components.platform.building_blocks import names
from components.platform.building_blocks.chart import release
from components.platform.building_blocks.context import component
from components.platform.building_blocks.images import resolve_image
from components.platform.building_blocks.network_policies import allow, allow_egress
from components.platform.building_blocks.object_store_access import CA_KEY, pod_port, register_store_authority, store_of
from components.platform.building_blocks.objects import register_object, register_secret
from planning.platform.backups import MADE_ANEW, PLANS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.context.placement import PlatformBucket
    from components.platform.building_blocks.context import Charges, Outputs, PlatformContext, PlatformResource
    from planning.platform.backups import BackupSchedule


USER: Final = "velero"  # of the provider's bucket, and its prefix there
STORE_USER: Final = "backups"  # of the store in the cluster, and its bucket
AWS: Final = "velero-plugin-for-aws"  # everything that speaks S3
GCP: Final = "velero-plugin-for-gcp"
GOOGLE_ACCOUNT: Final = "iam.gke.io/gcp-service-account"
AMAZON: Final = ".amazonaws.com"
# Hosts that want the bucket in the host name (docs.coreweave.com, Configure Endpoints); for all others it is in the
# path, as MinIO and Ceph want it.
BY_NAME: Final = ("cwobject.com",)


@dataclass(frozen=True, kw_only=True)
class Location:
    """Location of backups.

    Args:
        plugin: of Velero for its API.
        config: of the plugin.
        access_key: with `secret_key`, where pods have no identity there; "" else.
        annotations: of the service account.
        inside: whether it is in the cluster that is backed up.
        authority: reference to our certificate authority, if it is ours.
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
    """Location of a cluster's backups: the provider's bucket, else the customer's, else the store in the cluster.

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
    annotations = bucket.annotations.get(USER, {})
    account = annotations.get(GOOGLE_ACCOUNT)  # Velero signs URLs as this account
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


API: Final = "velero.io/v1"
DIES_WITH_IT: Final = (
    "backups go to the object store in the cluster and die with it: name a bucket outside"
    " (pulumi config set atoll:backupBucket ..., see docs/guides/backups.md)"
)
NEEDS_WEBHOOK: Final = (
    "backups on CoreWeave need its pod identity webhook in the cluster, or keys of the bucket"
    " (pulumi config set --secret atoll:backupAccessKey ..., see docs/guides/backups.md)"
)
# Velero makes its repository of volumes with a password that is printed in its documentation, unless this Secret is
# there before it (velero.io/docs, File System Backup, "Kopia repository password").
REPOSITORY_SECRET: Final = "velero-repo-credentials"  # noqa: S105 - name of a Secret
SERVER: Final = {"cpu": "100m", "memory": "256Mi"}
AGENT: Final = {"cpu": "50m", "memory": "128Mi"}
SNAPSHOT_CLASS: Final = "atoll-backups"
POLICY: Final = "atoll-volumes"
NO_SNAPSHOTS: Final = (
    "no snapshots are taken here: what a volume holds is backed up only while a pod has it mounted, so a stopped"
    " notebook's is in no backup (pulumi config set atoll:backupSnapshotDriver ..., see docs/guides/backups.md)"
)
KEYS: Final = "store-keys"
IDENTITY: Final[Mapping[str, str]] = {"pod_identity": POD_IDENTITY_ADDRESS, "workload_identity": METADATA_ADDRESS}


def list_schedules(context: PlatformContext) -> Sequence[BackupSchedule]:
    return PLANS[context.spec.services.support]


def _inputs(context: PlatformContext, charges: Charges) -> dict[str, object]:
    schedules = {plan.name: f"{plan.cron}, kept {plan.days} days" for plan in list_schedules(context)}
    return {**context.describe_part("velero", charges), "schedules": schedules}


@component("velero", "atoll:platform:Velero", inputs=_inputs)
def build(own: PlatformResource) -> Outputs:
    """The server, an agent on every node that reads volumes, the location of backups and their schedules."""
    context, where, driver = own.context, location(own.context), _driver(own.context)
    _warn(context, where)
    password = context.keyring.get_secret("backup-repository")
    repository = register_secret(
        REPOSITORY_SECRET, {"repository-password": password}, namespace=names.VELERO, parent=own, logical="repository"
    )
    before = [repository, *_register_keys(where, own), *_allow_egress(where, own)]
    server = release(own, _values(context, where), after=before)
    _register_location(where, own, after=server)
    if driver:
        register_policy(driver, parent=own, after=server)
    for plan in list_schedules(context):
        register_schedule(plan, snapshots=bool(driver), inside=where.inside, parent=own, after=server)
    # A restore in another cluster needs it, when this one is gone.
    return {"backupRepositoryPassword": password}


def _warn(context: PlatformContext, where: Location) -> None:
    if where.inside:
        pulumi.log.warn(DIES_WITH_IT)
    if not _driver(context):
        pulumi.log.warn(NO_SNAPSHOTS)
    if where.keyless and context.handle.identity.kind == "federation":
        pulumi.log.warn(NEEDS_WEBHOOK)


def register_schedule(
    plan: BackupSchedule, *, snapshots: bool, inside: bool, parent: pulumi.Resource, after: pulumi.Resource
) -> None:
    """Backups of everything but what the next update recreates.

    Args:
        snapshots: whether volumes are read from snapshots; else file by file where they are mounted.
        inside: whether backups are in the cluster's own store, which is then not backed up into itself.
    """
    template = {
        "ttl": plan.ttl,
        "excludedNamespaces": [*MADE_ANEW, *([names.OBJECT_STORE] if inside else [])],
        "storageLocation": "default",
        "snapshotVolumes": snapshots,
        "snapshotMoveData": snapshots,
        "defaultVolumesToFsBackup": not snapshots,
        **({"resourcePolicy": {"kind": "configmap", "name": POLICY}} if snapshots else {}),
    }
    spec = {"schedule": plan.cron, "skipImmediately": True, "template": template}
    register_object(API, "Schedule", plan.name, spec, namespace=names.VELERO, parent=parent, after=[after])


def register_policy(driver: str, *, parent: pulumi.Resource, after: pulumi.Resource) -> None:
    """Policy of volumes: snapshots of network disks only."""
    rules = [
        {"conditions": {"csi": {"driver": driver}}, "action": {"type": "snapshot"}},
        # A shared file system has no snapshots, and would fail each backup. The first rule that fits counts
        # (velero.io/docs, Resource filtering, "Resource policies").
        {"conditions": {"capacity": "0,"}, "action": {"type": "skip"}},
    ]
    kubernetes.core.v1.ConfigMap(
        POLICY,
        metadata={"name": POLICY, "namespace": names.VELERO},
        data={"policy.yaml": yaml.safe_dump({"version": "v1", "volumePolicies": rules}, sort_keys=False)},
        opts=pulumi.ResourceOptions(parent=parent, depends_on=[after]),
    )


def _driver(context: PlatformContext) -> str:
    """CSI driver of disks with snapshots; for an existing cluster it is a setting."""
    known = find_traits(context.spec.profile.provider).snapshot_driver if context.spec.existing is None else ""
    return known or context.settings.backup_snapshot_driver


def _values(context: PlatformContext, where: Location) -> dict[str, object]:
    watched, driver = context.has("prometheus_crds"), _driver(context)
    return {
        "initContainers": [_plugin(where.plugin, context)],
        "credentials": {"useSecret": False},
        "backupsEnabled": False,  # the location is an object of ours: the chart's has no reference to a CA
        "snapshotsEnabled": False,  # volumes are copied into the bucket, where a lost region does not take them along
        "deployNodeAgent": True,
        "configuration": {"uploaderType": "kopia", **({"features": "EnableCSI"} if driver else {})},
        "serviceAccount": {"server": {"name": "velero", "annotations": dict(where.annotations)}},
        "resources": {"requests": dict(SERVER)},
        "nodeSelector": dict(context.on_system),
        "nodeAgent": {"resources": {"requests": dict(AGENT)}, "tolerations": [{"operator": "Exists"}]},
        "metrics": {
            "serviceMonitor": {"enabled": watched},
            "nodeAgentPodMonitor": {"enabled": watched},
        },
        "extraObjects": [_snapshot_class(driver)] if driver else [],
    }


def _plugin(name: str, context: PlatformContext) -> dict[str, object]:
    """Init container with a plugin; its image is in the catalog."""
    (image,) = [each.pulled for each in images_of("velero") if f"/{name}:" in each.name]
    return {
        "name": name,
        "image": resolve_image(image, context),
        "imagePullPolicy": "IfNotPresent",
        "volumeMounts": [{"mountPath": "/target", "name": "plugins"}],
    }


def _register_keys(where: Location, own: PlatformResource) -> list[pulumi.Resource]:
    """Keys of the bucket in the format of the AWS SDK, where pods have no identity there."""
    if where.keyless:
        return []
    text = pulumi.Output.concat(
        "[default]\naws_access_key_id=", where.access_key, "\naws_secret_access_key=", where.secret_key, "\n"
    )
    return [register_secret(KEYS, {"cloud": pulumi.Output.secret(text)}, namespace=names.VELERO, parent=own)]


def _allow_egress(where: Location, own: PlatformResource) -> list[pulumi.Resource]:
    """Egress to the backups' location and the identity agent; trust in the store's certificate."""
    home, context = names.VELERO, own.context
    if where.inside:
        allow("velero-to-store", source=home, target=names.OBJECT_STORE, ports=[pod_port(context)], parent=own)
        trusted = register_store_authority("store-authority", namespace=home, context=context, parent=own)
        return [] if trusted is None else [trusted]
    allow_egress("velero-to-bucket", namespace=home, parent=own)
    address = IDENTITY.get(context.handle.identity.kind)
    if address is None:
        return []
    to_identity = kubernetes.networking.v1.NetworkPolicy(
        "velero-to-identity",
        metadata={"name": "velero-to-identity", "namespace": home},
        spec={
            "pod_selector": {},
            "policy_types": ["Egress"],
            "egress": [{"to": [{"ip_block": {"cidr": address}}], "ports": [{"protocol": "TCP", "port": 80}]}],
        },
        opts=pulumi.ResourceOptions(parent=own),
    )
    return [to_identity]


def _register_location(where: Location, own: PlatformResource, *, after: pulumi.Resource) -> None:
    spec = {
        "default": True,
        "provider": where.provider,
        "objectStorage": {"bucket": where.bucket, "prefix": where.prefix, **where.authority},
        "config": dict(where.config),
        **({} if where.keyless else {"credential": {"name": KEYS, "key": "cloud"}}),
    }
    home = names.VELERO
    register_object(
        API, "BackupStorageLocation", "default", spec, namespace=home, parent=own, logical="location", after=[after]
    )


def _snapshot_class(driver: str) -> dict[str, object]:
    """Class of snapshots, which Velero finds by label, and deletes once they are copied."""
    return {
        "apiVersion": "snapshot.storage.k8s.io/v1",
        "kind": "VolumeSnapshotClass",
        "metadata": {"name": SNAPSHOT_CLASS, "labels": {"velero.io/csi-volumesnapshot-class": "true"}},
        "driver": driver,
        "deletionPolicy": "Delete",
    }
