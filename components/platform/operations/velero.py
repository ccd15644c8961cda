"""Velero: what runs in the cluster and what its volumes hold, copied to a bucket by schedule, to be restored from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_kubernetes as kubernetes
import yaml

from catalogs.providers import find_traits
from catalogs.software.reader import images_of
from components.context.names import METADATA_ADDRESS, POD_IDENTITY_ADDRESS
from components.platform.building_blocks import names
from components.platform.building_blocks.chart import release
from components.platform.building_blocks.context import RegisteredComponent
from components.platform.building_blocks.images import resolve_image
from components.platform.building_blocks.network_policies import allow, allow_egress
from components.platform.building_blocks.object_store_access import pod_port, register_store_authority
from components.platform.operations.backup_storage import Location, location
from planning.platform.backups import MADE_ANEW, PLANS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.platform.building_blocks.context import Charges, PlatformContext
    from planning.platform.backups import BackupSchedule

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


@dataclass(frozen=True, kw_only=True)
class VeleroArgs:
    """Where backups go and when they are made."""

    ground: PlatformContext
    where: Location
    plans: Sequence[BackupSchedule]
    charges: Charges

    def facts(self) -> dict[str, object]:
        return {
            **self.ground.facts("velero", self.charges),
            "schedules": {plan.name: f"{plan.cron}, kept {plan.days} days" for plan in self.plans},
        }


@final
class Velero(pulumi.ComponentResource):
    """The server, an agent on every node that reads volumes, the place of backups and its schedules.

    Attributes:
        password: of the repository of volumes: whoever restores them elsewhere needs it.
    """

    password: pulumi.Output[str]

    def __init__(self, name: str, args: VeleroArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:platform:Velero", name, args.facts(), opts)
        self.password = args.ground.keyring.secret("backup-repository")
        keys = _keys(args.where, parent=self)
        before = [_repository(self.password, parent=self), *keys, *_ways(args, parent=self)]
        server = release(
            "velero",
            args.ground.part("velero"),
            values=_values(args),
            ground=args.ground,
            parent=self,
            depends_on=before,
        )
        objects = pulumi.ResourceOptions(parent=self, depends_on=[server])
        _location(args.where, opts=objects)
        driver = _driver(args.ground)
        if driver:
            policy(driver, opts=objects)
        for plan in args.plans:
            schedule(plan, snapshots=bool(driver), inside=args.where.inside, opts=objects)
        self.register_outputs({})


def build(ground: PlatformContext, charges: Charges, options: pulumi.ResourceOptions) -> RegisteredComponent:
    """Velero, to the provider's bucket, else to the customer's own, else to the store in the cluster."""
    where = location(ground)
    if where.inside:
        pulumi.log.warn(DIES_WITH_IT)
    if not _driver(ground):
        pulumi.log.warn(NO_SNAPSHOTS)
    if where.keyless and ground.handle.identity.kind == "federation":
        pulumi.log.warn(NEEDS_WEBHOOK)
    args = VeleroArgs(ground=ground, where=where, plans=PLANS[ground.spec.services.support], charges=charges)
    made = Velero("velero", args, opts=options)
    return RegisteredComponent(resource=made, outputs={"backupRepositoryPassword": made.password})


def schedule(
    plan: BackupSchedule, *, snapshots: bool, inside: bool, opts: pulumi.ResourceOptions
) -> kubernetes.apiextensions.CustomResource:
    """Backups of everything but what the next update makes anew.

    Args:
        snapshots: whether volumes are read from snapshots, else file by file where they are mounted.
        inside: whether the backups lie in the cluster's own store, which then is not backed up into itself.
    """
    left_out = [*MADE_ANEW, *([names.OBJECT_STORE] if inside else [])]
    return kubernetes.apiextensions.CustomResource(
        plan.name,
        api_version=API,
        kind="Schedule",
        metadata={"name": plan.name, "namespace": names.VELERO},
        spec={
            "schedule": plan.cron,
            "skipImmediately": True,
            "template": {
                "ttl": plan.ttl,
                "excludedNamespaces": left_out,
                "storageLocation": "default",
                "snapshotVolumes": snapshots,
                "snapshotMoveData": snapshots,
                "defaultVolumesToFsBackup": not snapshots,
                **({"resourcePolicy": {"kind": "configmap", "name": POLICY}} if snapshots else {}),
            },
        },
        opts=opts,
    )


def policy(driver: str, *, opts: pulumi.ResourceOptions) -> kubernetes.core.v1.ConfigMap:
    """Which volumes are read: network disks. A shared file system has no snapshots here, and would fail each backup.

    The first rule that fits counts (velero.io/docs, Resource filtering, "Resource policies").
    """
    rules = [
        {"conditions": {"csi": {"driver": driver}}, "action": {"type": "snapshot"}},
        {"conditions": {"capacity": "0,"}, "action": {"type": "skip"}},
    ]
    return kubernetes.core.v1.ConfigMap(
        POLICY,
        metadata={"name": POLICY, "namespace": names.VELERO},
        data={"policy.yaml": yaml.safe_dump({"version": "v1", "volumePolicies": rules}, sort_keys=False)},
        opts=opts,
    )


def _driver(ground: PlatformContext) -> str:
    """Driver of the disks that snapshots are taken of; of a cluster that exists only its owner knows it."""
    known = find_traits(ground.spec.profile.provider).snapshot_driver if ground.spec.existing is None else ""
    return known or ground.settings.backup_snapshot_driver


def _values(args: VeleroArgs) -> dict[str, object]:
    ground = args.ground
    watched, driver = ground.has("prometheus_crds"), _driver(ground)
    return {
        "initContainers": [_plugin(args.where.plugin, ground)],
        "credentials": {"useSecret": False},
        "backupsEnabled": False,  # the place of backups is an object of ours: the chart's cannot name a CA's Secret
        "snapshotsEnabled": False,  # volumes are copied into the bucket, where a lost region does not take them along
        "deployNodeAgent": True,
        "configuration": {"uploaderType": "kopia", **({"features": "EnableCSI"} if driver else {})},
        "serviceAccount": {"server": {"name": "velero", "annotations": dict(args.where.annotations)}},
        "resources": {"requests": dict(SERVER)},
        "nodeSelector": dict(ground.on_system),
        "nodeAgent": {"resources": {"requests": dict(AGENT)}, "tolerations": [{"operator": "Exists"}]},
        "metrics": {
            "serviceMonitor": {"enabled": watched},
            "nodeAgentPodMonitor": {"enabled": watched},
        },
        "extraObjects": [_snapshot_class(driver)] if driver else [],
    }


def _plugin(name: str, ground: PlatformContext) -> dict[str, object]:
    """The container that puts a provider's plugin into the server; its image is a row of the catalog."""
    (image,) = [each.pulled for each in images_of("velero") if f"/{name}:" in each.name]
    return {
        "name": name,
        "image": resolve_image(image, ground),
        "imagePullPolicy": "IfNotPresent",
        "volumeMounts": [{"mountPath": "/target", "name": "plugins"}],
    }


def _repository(password: pulumi.Output[str], *, parent: Velero) -> pulumi.Resource:
    return kubernetes.core.v1.Secret(
        "repository",
        metadata={"name": REPOSITORY_SECRET, "namespace": names.VELERO},
        string_data={"repository-password": password},
        opts=pulumi.ResourceOptions(parent=parent),
    )


def _keys(where: Location, *, parent: Velero) -> list[pulumi.Resource]:
    """Keys of the bucket, in the form that the AWS SDK reads, where pods have no identity there."""
    if where.keyless:
        return []
    text = pulumi.Output.concat(
        "[default]\naws_access_key_id=", where.access_key, "\naws_secret_access_key=", where.secret_key, "\n"
    )
    made = kubernetes.core.v1.Secret(
        "store-keys",
        metadata={"name": KEYS, "namespace": names.VELERO},
        string_data={"cloud": pulumi.Output.secret(text)},
        opts=pulumi.ResourceOptions(parent=parent),
    )
    return [made]


def _ways(args: VeleroArgs, *, parent: Velero) -> list[pulumi.Resource]:
    """Ways to where backups lie, trust in who answers there, and what gives the pods their rights."""
    if args.where.inside:
        port = pod_port(args.ground)
        allow("velero-to-store", source=names.VELERO, target=names.OBJECT_STORE, ports=[port], parent=parent)
        trusted = register_store_authority("store-authority", namespace=names.VELERO, ground=args.ground, parent=parent)
        return [] if trusted is None else [trusted]
    allow_egress("velero-to-bucket", namespace=names.VELERO, parent=parent)
    address = IDENTITY.get(args.ground.handle.identity.kind)
    return [] if address is None else [_to_identity(address, parent=parent)]


def _to_identity(address: str, *, parent: Velero) -> pulumi.Resource:
    return kubernetes.networking.v1.NetworkPolicy(
        "velero-to-identity",
        metadata={"name": "velero-to-identity", "namespace": names.VELERO},
        spec={
            "pod_selector": {},
            "policy_types": ["Egress"],
            "egress": [{"to": [{"ip_block": {"cidr": address}}], "ports": [{"protocol": "TCP", "port": 80}]}],
        },
        opts=pulumi.ResourceOptions(parent=parent),
    )


def _location(where: Location, *, opts: pulumi.ResourceOptions) -> None:
    kubernetes.apiextensions.CustomResource(
        "location",
        api_version=API,
        kind="BackupStorageLocation",
        metadata={"name": "default", "namespace": names.VELERO},
        spec={
            "default": True,
            "provider": where.provider,
            "objectStorage": {"bucket": where.bucket, "prefix": where.prefix, **where.authority},
            "config": dict(where.config),
            **({} if where.keyless else {"credential": {"name": KEYS, "key": "cloud"}}),
        },
        opts=opts,
    )


def _snapshot_class(driver: str) -> dict[str, object]:
    """Snapshots are deleted once they are copied; the label is how Velero finds their class."""
    return {
        "apiVersion": "snapshot.storage.k8s.io/v1",
        "kind": "VolumeSnapshotClass",
        "metadata": {"name": SNAPSHOT_CLASS, "labels": {"velero.io/csi-volumesnapshot-class": "true"}},
        "driver": driver,
        "deletionPolicy": "Delete",
    }
