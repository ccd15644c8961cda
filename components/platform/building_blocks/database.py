"""A PostgreSQL of one part: its instances, its login, and its backups outside of itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_kubernetes as kubernetes

from components.platform.building_blocks import network_policies
from components.platform.building_blocks.images import resolve_image
from components.platform.building_blocks.names import DATABASES, OBJECT_STORE, S3_ADDRESS
from components.platform.building_blocks.object_store_access import (
    CA_KEY,
    CA_NAME,
    PROVIDER,
    REGION,
    allow_bucket_egress,
    pod_port,
)
from planning.platform.backups import PLANS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.context.placement import PlatformBucket
    from components.platform.building_blocks.context import PlatformContext

POSTGRES: Final = "postgresql.cnpg.io/v1"
# What CloudNativePG 1.30.0 runs by default is 18.6-system-trixie, whose tag moves; this is the build in its catalog of
# 2026-08-31 (github.com/cloudnative-pg/artifacts, image-catalogs/catalog-system-trixie.yaml). Images of type "system"
# hold the tools that write backups to a bucket.
IMAGE: Final = (
    "ghcr.io/cloudnative-pg/postgresql:18.6-202608310817-system-trixie"
    "@sha256:5a6a677d3fa2bc3fdc61874e0de8324b5a987eb676ddca133e71365a8467d6c1"
)
PORT: Final = 5432
OPERATOR_PORTS: Final = (PORT, 8000)  # cloudnative-pg.io/docs, networking: what the operator must reach
BACKUPS: Final = "backups"  # user, and bucket, of the store in the cluster
# Together, whether there is one instance or two: the row of the owning part counts them once.
MILLICORES: Final = 200
MEMORY_MIB: Final = 1024
INSTANCES: Final[Mapping[str, int]] = {"small": 1, "standard": 2, "full": 2}


@dataclass(frozen=True, kw_only=True)
class Database:
    """A database that is registered.

    Args:
        secret: with `username` and `password`, in its namespace.
        before: what must be there before whoever uses it.
    """

    host: str
    name: str
    user: str
    password: pulumi.Output[str] = field(repr=False)
    secret: str
    before: list[pulumi.Resource]


def database(
    name: str,
    *,
    namespace: str,
    disk_gb: int,
    ground: PlatformContext,
    parent: pulumi.Resource,
    authority: pulumi.Resource | None = None,
) -> Database:
    """Registers the PostgreSQL of a part.

    Args:
        name: of the part; the database and its owner have it too, the cluster is called "<name>-database".
        disk_gb: of all instances together.
        authority: what `object_store_access.register_store_authority` made in the namespace.
    """
    cluster = f"{name}-database"
    password = ground.keyring.secret(cluster)
    login = _login(cluster, user=name, password=password, namespace=namespace, parent=parent)
    target = _target(cluster, namespace=namespace, ground=ground, parent=parent)
    before = [login, *target.before, *([authority] if authority is not None else [])]
    instances = INSTANCES[ground.platform.size]
    made = kubernetes.apiextensions.CustomResource(
        cluster,
        api_version=POSTGRES,
        kind="Cluster",
        metadata={"name": cluster, "namespace": namespace},
        spec={
            **_spec(instances, disk_gb=disk_gb, ground=ground),
            "bootstrap": {"initdb": {"database": name, "owner": name, "secret": {"name": cluster}}},
            **target.fields,
        },
        opts=pulumi.ResourceOptions(parent=parent, depends_on=before, retain_on_delete=True),
    )
    _schedule(cluster, namespace=namespace, ground=ground, parent=made)
    _monitor(cluster, namespace=namespace, parent=made)
    network_policies.allow(
        f"{cluster}-operator", source=DATABASES, target=namespace, ports=OPERATOR_PORTS, parent=parent
    )
    return Database(
        host=f"{cluster}-rw.{namespace}.svc.cluster.local",
        name=name,
        user=name,
        password=password,
        secret=cluster,
        before=[made],
    )


@dataclass(frozen=True, kw_only=True)
class _Target:
    """Where backups go: fields of the cluster, and what must be there before it."""

    fields: Mapping[str, object]
    before: list[pulumi.Resource] = field(default_factory=list["pulumi.Resource"])


def _login(
    cluster: str, *, user: str, password: pulumi.Output[str], namespace: str, parent: pulumi.Resource
) -> kubernetes.core.v1.Secret:
    """The generated login; it stays as long as the data that it opens."""
    return kubernetes.core.v1.Secret(
        cluster,
        metadata={"name": cluster, "namespace": namespace, "labels": {"cnpg.io/reload": "true"}},
        type="kubernetes.io/basic-auth",
        string_data={"username": user, "password": password},
        opts=pulumi.ResourceOptions(parent=parent, retain_on_delete=True),
    )


def _spec(instances: int, *, disk_gb: int, ground: PlatformContext) -> dict[str, object]:
    storage = {"size": f"{disk_gb // instances}Gi", "resizeInUseVolumes": True}
    if ground.volume_class:
        storage["storageClass"] = ground.volume_class
    return {
        "instances": instances,
        "imageName": resolve_image(IMAGE, ground),
        "storage": storage,
        "enableSuperuserAccess": False,
        "enablePDB": instances > 1,
        "primaryUpdateStrategy": "unsupervised",
        "affinity": {
            "enablePodAntiAffinity": True,
            "topologyKey": "kubernetes.io/hostname",
            "podAntiAffinityType": "required",
            "nodeSelector": dict(ground.on_system),
        },
        "resources": {
            "requests": {"cpu": f"{MILLICORES // instances}m", "memory": f"{MEMORY_MIB // instances}Mi"},
            "limits": {"memory": f"{MEMORY_MIB}Mi"},
        },
    }


def _target(cluster: str, *, namespace: str, ground: PlatformContext, parent: pulumi.Resource) -> _Target:
    """The bucket of the platform, by keys where it has some; else the store in the cluster, better than nothing."""
    bucket = ground.handle.bucket
    if bucket is None and ground.platform.object_store == PROVIDER:
        return _Target(fields={})
    if bucket is None:
        return _inside(cluster, namespace=namespace, ground=ground, parent=parent)
    pods = {"cnpg.io/cluster": cluster}
    allow_bucket_egress(f"{cluster}-bucket", namespace=namespace, pods=pods, ground=ground, parent=parent)
    if bucket.access_key == "":
        return _outside(cluster, bucket, ground=ground)
    return _with_keys(cluster, bucket, namespace=namespace, ground=ground, parent=parent)


def _with_keys(
    cluster: str, bucket: PlatformBucket, *, namespace: str, ground: PlatformContext, parent: pulumi.Resource
) -> _Target:
    """A bucket that is opened by keys: the customer's own, or one of a provider that knows no pods."""
    login = (bucket.access_key, bucket.secret_key)
    keys = _keys(cluster, login, region=bucket.region, namespace=namespace, parent=parent)
    store = {
        "destinationPath": pulumi.Output.concat("s3://", bucket.name, f"/{cluster}/"),
        "endpointURL": bucket.endpoint,
        "s3Credentials": _references(cluster),
    }
    return _Target(fields={"backup": _backup(store, ground=ground)}, before=[keys])


def _outside(cluster: str, bucket: PlatformBucket, *, ground: PlatformContext) -> _Target:
    identity: dict[str, object] = (
        {"googleCredentials": {"gkeEnvironment": True}}
        if bucket.scheme == "gs"
        else {"s3Credentials": {"inheritFromIAMRole": True}, "endpointURL": bucket.endpoint}
    )
    path = pulumi.Output.concat(f"{bucket.scheme}://", bucket.name, f"/{cluster}/")
    annotations = dict(bucket.annotations.get(cluster, {}))
    return _Target(
        fields={
            "backup": _backup({"destinationPath": path, **identity}, ground=ground),
            "serviceAccountTemplate": {"metadata": {"annotations": annotations}},
        }
    )


def _inside(cluster: str, *, namespace: str, ground: PlatformContext, parent: pulumi.Resource) -> _Target:
    login = (BACKUPS, ground.keyring.secret(f"s3-{BACKUPS}"))
    keys = _keys(cluster, login, region=REGION, namespace=namespace, parent=parent)
    pods = {"cnpg.io/cluster": cluster}
    network_policies.allow(
        f"{cluster}-store",
        source=namespace,
        source_pods=pods,
        target=OBJECT_STORE,
        ports=[pod_port(ground)],
        parent=parent,
    )
    store = {
        "destinationPath": f"s3://{BACKUPS}/{cluster}/",
        "endpointURL": S3_ADDRESS,
        "endpointCA": {"name": CA_NAME, "key": CA_KEY},
        "s3Credentials": _references(cluster),
    }
    return _Target(fields={"backup": _backup(store, ground=ground)}, before=[keys])


def _keys(
    cluster: str,
    login: tuple[pulumi.Input[str], pulumi.Input[str]],
    *,
    region: str,
    namespace: str,
    parent: pulumi.Resource,
) -> kubernetes.core.v1.Secret:
    return kubernetes.core.v1.Secret(
        f"{cluster}-backups",
        metadata={"name": f"{cluster}-backups", "namespace": namespace},
        string_data={"accessKey": login[0], "secretKey": login[1], "region": region},
        opts=pulumi.ResourceOptions(parent=parent),
    )


def _references(cluster: str) -> dict[str, object]:
    keys = {"accessKeyId": "accessKey", "secretAccessKey": "secretKey", "region": "region"}
    return {name: {"name": f"{cluster}-backups", "key": key} for name, key in keys.items()}


def _backup(store: Mapping[str, object], *, ground: PlatformContext) -> dict[str, object]:
    """Base backups and the log of changes, from which any minute can be restored."""
    plan = PLANS[ground.spec.services.support][0]
    return {
        "barmanObjectStore": {**store, "wal": {"compression": "gzip"}, "data": {"compression": "gzip"}},
        "retentionPolicy": f"{plan.days}d",
    }


def _schedule(cluster: str, *, namespace: str, ground: PlatformContext, parent: pulumi.Resource) -> None:
    """When base backups are made; the operator's schedule begins with seconds."""
    if ground.handle.bucket is None and ground.platform.object_store == PROVIDER:
        return
    kubernetes.apiextensions.CustomResource(
        f"{cluster}-nightly",
        api_version=POSTGRES,
        kind="ScheduledBackup",
        metadata={"name": f"{cluster}-nightly", "namespace": namespace},
        spec={
            "schedule": f"0 {PLANS[ground.spec.services.support][0].cron}",
            "cluster": {"name": cluster},
            "backupOwnerReference": "self",
            "immediate": True,
        },
        opts=pulumi.ResourceOptions(parent=parent),
    )


def _monitor(cluster: str, *, namespace: str, parent: pulumi.Resource) -> None:
    kubernetes.apiextensions.CustomResource(
        f"{cluster}-monitor",
        api_version="monitoring.coreos.com/v1",
        kind="PodMonitor",
        metadata={"name": cluster, "namespace": namespace},
        spec={
            "selector": {"matchLabels": {"cnpg.io/cluster": cluster}},
            "podMetricsEndpoints": [{"port": "metrics"}],
        },
        opts=pulumi.ResourceOptions(parent=parent),
    )
