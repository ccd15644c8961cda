"""PostgreSQL of a component: its instances, its login, and its backups in a bucket."""

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
from components.platform.building_blocks.objects import register_object, register_pod_monitor, register_secret
from planning.platform.backups import PLANS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.context.placement import PlatformBucket
    from components.platform.building_blocks.context import PlatformContext, PlatformResource

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
        before: what its users depend on.
    """

    host: str
    name: str
    user: str
    password: pulumi.Output[str] = field(repr=False)
    secret: str
    before: list[pulumi.Resource]


def database(own: PlatformResource, *, namespace: str, authority: pulumi.Resource | None = None) -> Database:
    """Registers the PostgreSQL of a component; its disks are the component's.

    The database and its owner have the component's name, the cluster is called "<name>-database".

    Args:
        authority: what `object_store_access.register_store_authority` made in the namespace.
    """
    context, name, cluster = own.context, own.name, f"{own.name}-database"
    password = context.keyring.get_secret(cluster)
    login = register_secret(
        cluster,
        {"username": name, "password": password},
        namespace=namespace,
        parent=own,
        labels={"cnpg.io/reload": "true"},
        kind="kubernetes.io/basic-auth",
        kept=True,  # as long as the data that it opens
    )
    target = _target(cluster, own, namespace=namespace)
    before = [login, *target.before, *([authority] if authority is not None else [])]
    made = kubernetes.apiextensions.CustomResource(
        cluster,
        api_version=POSTGRES,
        kind="Cluster",
        metadata={"name": cluster, "namespace": namespace},
        spec={
            **_spec(INSTANCES[context.platform.size], disk_gb=own.part.disk_gb, context=context),
            "bootstrap": {"initdb": {"database": name, "owner": name, "secret": {"name": cluster}}},
            **target.fields,
        },
        opts=pulumi.ResourceOptions(parent=own, depends_on=before, retain_on_delete=True),
    )
    _schedule(cluster, namespace=namespace, context=context, parent=made)
    pods = {"cnpg.io/cluster": cluster}
    register_pod_monitor(cluster, pods, port="metrics", namespace=namespace, parent=made, logical=f"{cluster}-monitor")
    network_policies.allow(f"{cluster}-operator", source=DATABASES, target=namespace, ports=OPERATOR_PORTS, parent=own)
    host = f"{cluster}-rw.{namespace}.svc.cluster.local"
    return Database(host=host, name=name, user=name, password=password, secret=cluster, before=[made])


@dataclass(frozen=True, kw_only=True)
class _Target:
    """Destination of backups: fields of the cluster's spec, and what the cluster depends on."""

    fields: Mapping[str, object]
    before: list[pulumi.Resource] = field(default_factory=list["pulumi.Resource"])


def _spec(instances: int, *, disk_gb: int, context: PlatformContext) -> dict[str, object]:
    storage = {"size": f"{disk_gb // instances}Gi", "resizeInUseVolumes": True}
    if context.volume_class:
        storage["storageClass"] = context.volume_class
    return {
        "instances": instances,
        "imageName": resolve_image(IMAGE, context),
        "storage": storage,
        "enableSuperuserAccess": False,
        "enablePDB": instances > 1,
        "primaryUpdateStrategy": "unsupervised",
        "affinity": {
            "enablePodAntiAffinity": True,
            "topologyKey": "kubernetes.io/hostname",
            "podAntiAffinityType": "required",
            "nodeSelector": dict(context.on_system),
        },
        "resources": {
            "requests": {"cpu": f"{MILLICORES // instances}m", "memory": f"{MEMORY_MIB // instances}Mi"},
            "limits": {"memory": f"{MEMORY_MIB}Mi"},
        },
    }


def _target(cluster: str, own: PlatformResource, *, namespace: str) -> _Target:
    """Backups go to the platform's bucket; without one to the store in the cluster, which is lost with it."""
    context = own.context
    bucket = context.handle.bucket
    if bucket is None and context.platform.object_store == PROVIDER:
        return _Target(fields={})
    if bucket is None:
        return _inside(cluster, own, namespace=namespace)
    pods = {"cnpg.io/cluster": cluster}
    allow_bucket_egress(f"{cluster}-bucket", namespace=namespace, pods=pods, context=context, parent=own)
    if bucket.access_key == "":
        return _outside(cluster, bucket, context=context)
    # The customer's own, or one of a provider that knows no pods.
    login = (bucket.access_key, bucket.secret_key)
    keys = _keys(cluster, login, region=bucket.region, namespace=namespace, parent=own)
    store = {
        "destinationPath": pulumi.Output.concat("s3://", bucket.name, f"/{cluster}/"),
        "endpointURL": bucket.endpoint,
        "s3Credentials": _references(cluster),
    }
    return _Target(fields={"backup": _backup(store, context=context)}, before=[keys])


def _outside(cluster: str, bucket: PlatformBucket, *, context: PlatformContext) -> _Target:
    identity: dict[str, object] = (
        {"googleCredentials": {"gkeEnvironment": True}}
        if bucket.scheme == "gs"
        else {"s3Credentials": {"inheritFromIAMRole": True}, "endpointURL": bucket.endpoint}
    )
    path = pulumi.Output.concat(f"{bucket.scheme}://", bucket.name, f"/{cluster}/")
    annotations = dict(bucket.annotations.get(cluster, {}))
    return _Target(
        fields={
            "backup": _backup({"destinationPath": path, **identity}, context=context),
            "serviceAccountTemplate": {"metadata": {"annotations": annotations}},
        }
    )


def _inside(cluster: str, own: PlatformResource, *, namespace: str) -> _Target:
    context = own.context
    login = (BACKUPS, context.keyring.get_secret(f"s3-{BACKUPS}"))
    keys = _keys(cluster, login, region=REGION, namespace=namespace, parent=own)
    network_policies.allow(
        f"{cluster}-store",
        source=namespace,
        source_pods={"cnpg.io/cluster": cluster},
        target=OBJECT_STORE,
        ports=[pod_port(context)],
        parent=own,
    )
    store = {
        "destinationPath": f"s3://{BACKUPS}/{cluster}/",
        "endpointURL": S3_ADDRESS,
        "endpointCA": {"name": CA_NAME, "key": CA_KEY},
        "s3Credentials": _references(cluster),
    }
    return _Target(fields={"backup": _backup(store, context=context)}, before=[keys])


def _keys(
    cluster: str,
    login: tuple[pulumi.Input[str], pulumi.Input[str]],
    *,
    region: str,
    namespace: str,
    parent: pulumi.Resource,
) -> kubernetes.core.v1.Secret:
    content = {"accessKey": login[0], "secretKey": login[1], "region": region}
    return register_secret(f"{cluster}-backups", content, namespace=namespace, parent=parent)


def _references(cluster: str) -> dict[str, object]:
    keys = {"accessKeyId": "accessKey", "secretAccessKey": "secretKey", "region": "region"}
    return {name: {"name": f"{cluster}-backups", "key": key} for name, key in keys.items()}


def _backup(store: Mapping[str, object], *, context: PlatformContext) -> dict[str, object]:
    """Base backups and write-ahead log, for point-in-time recovery."""
    plan = PLANS[context.spec.services.support][0]
    return {
        "barmanObjectStore": {**store, "wal": {"compression": "gzip"}, "data": {"compression": "gzip"}},
        "retentionPolicy": f"{plan.days}d",
    }


def _schedule(cluster: str, *, namespace: str, context: PlatformContext, parent: pulumi.Resource) -> None:
    if context.handle.bucket is None and context.platform.object_store == PROVIDER:
        return
    spec = {
        # The operator's schedule begins with seconds.
        "schedule": f"0 {PLANS[context.spec.services.support][0].cron}",
        "cluster": {"name": cluster},
        "backupOwnerReference": "self",
        "immediate": True,
    }
    register_object(POSTGRES, "ScheduledBackup", f"{cluster}-nightly", spec, namespace=namespace, parent=parent)
