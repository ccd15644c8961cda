"""Loki: the logs of every pod, in the object store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.platform.building_blocks.chart import release
from components.platform.building_blocks.context import component
from components.platform.observability.object_storage import (
    ACCESS_KEY,
    SECRET_KEY,
    ComponentBucket,
    asks,
    authority,
    connect_bucket,
)

if TYPE_CHECKING:
    from components.platform.building_blocks.context import PlatformContext, PlatformResource

PART: Final = "loki"
PODS: Final = {"app.kubernetes.io/name": "loki"}
DISK: Final = "10Gi"  # what is not in the bucket yet
KEPT_FOR: Final = "720h"  # 30 days
FIRST_DAY: Final = "2025-01-01"  # from which its format of tables holds: before any cluster of ours
GOOGLE: Final = "gs"
SCALED: Final = ("read", "write", "backend")  # targets of the chart's other way to run it, three pods each by default


@component(PART, "atoll:platform:Loki")
def build(own: PlatformResource) -> None:
    """One process, which is enough for some tens of GB a day; what it holds lies in the bucket."""
    bucket = connect_bucket(own, pods=PODS)
    release(own, _values(own.context, bucket), after=[*authority(own), *bucket.before])


def _values(context: PlatformContext, bucket: ComponentBucket) -> dict[str, object]:
    """No door of its own, no caches: Grafana asks it directly."""
    off = {"enabled": False}
    return {
        "fullnameOverride": PART,
        "deploymentMode": "Monolithic",
        "loki": _loki(bucket),
        "singleBinary": _single(context, bucket),
        "serviceAccount": {"name": PART, "annotations": dict(bucket.store.annotations)},
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
        "auth_enabled": False,  # who may ask is for the network policies to say
        "commonConfig": {"replication_factor": 1},
        "schemaConfig": {"configs": [tables]},
        "storage": {
            "type": kind,
            "bucketNames": {"chunks": bucket.store.bucket, "ruler": bucket.store.bucket},
            "use_thanos_objstore": True,  # the older clients know no prefix
            "object_store": _bucket(kind, bucket),
        },
        "limits_config": {"retention_period": KEPT_FOR, "allow_structured_metadata": True},
        "compactor": {"retention_enabled": True, "delete_request_store": kind},
        "analytics": {"reporting_enabled": False},
    }


def _bucket(kind: str, bucket: ComponentBucket) -> dict[str, object]:
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
    disk: dict[str, object] = {"size": DISK}
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
        "resources": asks("300m", "1Gi", limit="2Gi"),
    }
