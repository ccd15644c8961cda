"""Loki and Tempo: the logs of every pod, and traces, in the object store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from components.platform.building_blocks import names
from components.platform.building_blocks.chart import build_resources, release
from components.platform.building_blocks.context import component
from components.platform.building_blocks.network_policies import allow
from components.platform.building_blocks.object_store_access import (
    CA_FOLDER,
    CA_KEY,
    allow_bucket_egress,
    pod_port,
    register_store_authority,
    store_of,
)
from components.platform.building_blocks.objects import register_secret

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pulumi

    from components.platform.building_blocks.context import PlatformContext, PlatformResource
    from components.platform.building_blocks.object_store_access import ObjectStoreAccess

ACCESS_KEY: Final = "S3_ACCESS_KEY"
SECRET_KEY: Final = "S3_SECRET_KEY"  # noqa: S105 - name of an environment variable
TRUSTED: Final = "SSL_CERT_FILE"  # beside the system's own certificates, Go trusts those in this file


@dataclass(frozen=True, kw_only=True)
class ComponentBucket:
    """Bucket of a component, for the values of its chart.

    Args:
        environment: Secret with the keys, as environment variables; "" where the pod's identity gives access.
        before: what the pods depend on.
    """

    store: ObjectStoreAccess
    environment: str
    before: list[pulumi.Resource]

    @property
    def volumes(self) -> list[dict[str, object]]:
        return self.store.list_authority_volumes("s3-ca")

    @property
    def mounts(self) -> list[dict[str, object]]:
        return self.store.list_authority_mounts("s3-ca")

    @property
    def trusted(self) -> list[dict[str, object]]:
        return [{"name": TRUSTED, "value": f"{CA_FOLDER}/{CA_KEY}"}] if self.store.ca_secret else []

    @property
    def sources(self) -> list[dict[str, object]]:
        """Values of `envFrom`."""
        return [{"secretRef": {"name": self.environment}}] if self.environment else []


def connect_bucket(own: PlatformResource, *, pods: Mapping[str, str]) -> ComponentBucket:
    """The bucket of a component of this namespace, its keys and its network policies.

    Args:
        own: its name is a word of `names.STORE_USERS`.
        pods: labels of the pods that read and write it.
    """
    user, context, home = own.name, own.context, names.OBSERVABILITY
    store = store_of(user, context)
    if store.ca_secret:
        ports = [pod_port(context)]
        allow(f"{user}-to-store", source=home, target=names.OBJECT_STORE, ports=ports, source_pods=pods, parent=own)
    else:
        allow_bucket_egress(f"{user}-to-bucket", namespace=home, pods=pods, context=context, parent=own)
    if store.keyless:
        return ComponentBucket(store=store, environment="", before=[])
    keys = {ACCESS_KEY: store.access_key, SECRET_KEY: store.secret_key}
    secret = register_secret(f"{user}-store", keys, namespace=home, parent=own)
    return ComponentBucket(store=store, environment=f"{user}-store", before=[secret])


def authority(own: PlatformResource) -> list[pulumi.Resource]:
    """The store's certificate authority in this namespace, which one component registers."""
    made = register_store_authority("store-authority", namespace=names.OBSERVABILITY, context=own.context, parent=own)
    return [] if made is None else [made]


LOKI: Final = "loki"
LOKI_PODS: Final = {"app.kubernetes.io/name": "loki"}
LOKI_DISK: Final = "10Gi"  # data that is not in the bucket yet
LOGS_KEPT_FOR: Final = (
    "720h"  # 30 days, in hours: the handbook counts days of it, docs/guides/observability.md says them
)
FIRST_DAY: Final = "2025-01-01"  # from which its format of tables holds: before any cluster of ours
GOOGLE: Final = "gs"
SCALED: Final = ("read", "write", "backend")  # targets of the chart's other way to run it, three pods each by default


@component(LOKI, "atoll:platform:Loki")
def build_loki(own: PlatformResource) -> None:
    """A single process, enough for some tens of GB a day; data is in the bucket."""
    bucket = connect_bucket(own, pods=LOKI_PODS)
    release(own, _loki_values(own.context, bucket), after=[*authority(own), *bucket.before])


def _loki_values(context: PlatformContext, bucket: ComponentBucket) -> dict[str, object]:
    """Without gateway and caches: Grafana queries it directly."""
    off = {"enabled": False}
    return {
        "fullnameOverride": LOKI,
        "deploymentMode": "Monolithic",
        "loki": _loki(bucket),
        "singleBinary": _single(context, bucket),
        "serviceAccount": {"name": LOKI, "annotations": dict(bucket.store.annotations)},
        **{target: {"replicas": 0} for target in SCALED},
        "gateway": off,
        "chunksCache": off,
        "resultsCache": off,
        "lokiCanary": off,
        "test": off,
        "ruler": off,
        "sidecar": {"rules": off},  # of the ruler; its role reads every Secret of the cluster
        "monitoring": {"serviceMonitor": {"enabled": True}},
    }


def _loki(bucket: ComponentBucket) -> dict[str, object]:
    kind = "gcs" if bucket.store.scheme == GOOGLE else "s3"
    tables = {
        "from": FIRST_DAY,
        "store": "tsdb",
        "object_store": kind,
        "schema": "v13",
        "index": {"prefix": "index_", "period": "24h"},
    }
    return {
        "auth_enabled": False,  # network policies limit who has access
        "commonConfig": {"replication_factor": 1},
        "schemaConfig": {"configs": [tables]},
        "storage": {
            "type": kind,
            "bucketNames": {"chunks": bucket.store.bucket, "ruler": bucket.store.bucket},
            "use_thanos_objstore": True,  # the older clients know no prefix
            "object_store": _loki_bucket(kind, bucket),
        },
        "limits_config": {"retention_period": LOGS_KEPT_FOR, "allow_structured_metadata": True},
        "compactor": {"retention_enabled": True, "delete_request_store": kind},
        "analytics": {"reporting_enabled": False},
    }


def _loki_bucket(kind: str, bucket: ComponentBucket) -> dict[str, object]:
    store = bucket.store
    found: dict[str, object] = {"type": kind}
    if store.prefix:
        found["storage_prefix"] = store.prefix
    if kind == "gcs":
        return found
    keys = {} if store.keyless else {"access_key_id": f"${{{ACCESS_KEY}}}", "secret_access_key": f"${{{SECRET_KEY}}}"}
    how = "path" if store.path_style else "virtual-hosted"
    return {**found, "s3": {"endpoint": store.host, "region": store.region, "bucket_lookup_type": how, **keys}}


def _single(context: PlatformContext, bucket: ComponentBucket) -> dict[str, object]:
    disk: dict[str, object] = {"size": LOKI_DISK}
    if context.volume_class:
        disk["storageClass"] = context.volume_class
    return {
        "replicas": 1,
        "sidecar": False,
        "extraEnv": bucket.trusted,
        "extraEnvFrom": bucket.sources,
        "extraVolumes": bucket.volumes,
        "extraVolumeMounts": bucket.mounts,
        "persistence": disk,
        "nodeSelector": dict(context.on_system),
        "resources": build_resources("300m", "1Gi", limit="2Gi"),
    }


TEMPO: Final = "tempo"
TEMPO_PODS: Final = {"app.kubernetes.io/name": "tempo"}
TEMPO_DISK: Final = "10Gi"  # data that is not in the bucket yet
TRACES_KEPT_FOR: Final = "336h"  # 14 days
ANY_ADDRESS: Final = "0.0.0.0"  # noqa: S104 - of its own pod; the network policies say who gets there
PATH_STYLE: Final = 2  # minio-go's BucketLookupType: 1 is by name of host, 2 by path


@component(TEMPO, "atoll:platform:Tempo")
def build_tempo(own: PlatformResource) -> None:
    """A single process; data is in the bucket."""
    bucket = connect_bucket(own, pods=TEMPO_PODS)
    before = [*([] if own.context.has("loki") else authority(own)), *bucket.before]
    release(own, _tempo_values(own.context, bucket), after=before)


def _tempo_values(context: PlatformContext, bucket: ComponentBucket) -> dict[str, object]:
    disk: dict[str, object] = {"enabled": True, "size": TEMPO_DISK}
    if context.volume_class:
        disk["storageClassName"] = context.volume_class
    trace = {"backend": "gcs" if bucket.store.scheme == GOOGLE else "s3", **_tempo_bucket(bucket)}
    return {
        "fullnameOverride": TEMPO,
        "tempo": {
            "reportingEnabled": False,
            "retention": TRACES_KEPT_FOR,
            "memBallastSizeMbs": 0,  # an old trick that Go needs no more
            "storage": {"trace": trace},
            "receivers": {
                "otlp": {
                    "protocols": {
                        "grpc": {"endpoint": f"{ANY_ADDRESS}:4317"},
                        "http": {"endpoint": f"{ANY_ADDRESS}:4318"},
                    }
                }
            },
            "extraArgs": {"config.expand-env": "true"},
            "extraEnv": bucket.trusted,
            "extraEnvFrom": bucket.sources,
            "extraVolumeMounts": bucket.mounts,
            "resources": build_resources("100m", "512Mi", limit="2Gi"),
        },
        "extraVolumes": bucket.volumes,
        "persistence": disk,
        "serviceAccount": {"name": TEMPO, "annotations": dict(bucket.store.annotations)},
        "serviceMonitor": {"enabled": True},
        "nodeSelector": dict(context.on_system),
    }


def _tempo_bucket(bucket: ComponentBucket) -> dict[str, object]:
    store = bucket.store
    prefix = {"prefix": store.prefix} if store.prefix else {}
    if store.scheme == GOOGLE:
        return {"gcs": {"bucket_name": store.bucket, **prefix}}
    keys = {} if store.keyless else {"access_key": f"${{{ACCESS_KEY}}}", "secret_key": f"${{{SECRET_KEY}}}"}
    found = {"bucket": store.bucket, "endpoint": store.host, "region": store.region, **keys, **prefix}
    return {"s3": {**found, "bucket_lookup_type": PATH_STYLE if store.path_style else PATH_STYLE - 1}}
