"""Tempo: traces, in the object store."""

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

PART: Final = "tempo"
PODS: Final = {"app.kubernetes.io/name": "tempo"}
DISK: Final = "10Gi"  # what is not in the bucket yet
KEPT_FOR: Final = "336h"  # 14 days
GOOGLE: Final = "gs"
ANY_ADDRESS: Final = "0.0.0.0"  # noqa: S104 - of its own pod; the network policies say who gets there
PATH_STYLE: Final = 2  # minio-go's BucketLookupType: 1 is by name of host, 2 by path


@component(PART, "atoll:platform:Tempo")
def build(own: PlatformResource) -> None:
    """One process; what it holds lies in the bucket."""
    bucket = connect_bucket(own, pods=PODS)
    before = [*([] if own.context.has("loki") else authority(own)), *bucket.before]
    release(own, _values(own.context, bucket), after=before)


def _values(context: PlatformContext, bucket: ComponentBucket) -> dict[str, object]:
    disk: dict[str, object] = {"enabled": True, "size": DISK}
    if context.volume_class:
        disk["storageClassName"] = context.volume_class
    trace = {"backend": "gcs" if bucket.store.scheme == GOOGLE else "s3", **_bucket(bucket)}
    return {
        "fullnameOverride": PART,
        "tempo": {
            "reportingEnabled": False,
            "retention": KEPT_FOR,
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
            "resources": asks("100m", "512Mi", limit="2Gi"),
        },
        "extraVolumes": bucket.volumes,
        "persistence": disk,
        "serviceAccount": {"name": PART, "annotations": dict(bucket.store.annotations)},
        "serviceMonitor": {"enabled": True},
        "nodeSelector": dict(context.on_system),
    }


def _bucket(bucket: ComponentBucket) -> dict[str, object]:
    store = bucket.store
    prefix = {"prefix": store.prefix} if store.prefix else {}
    if store.scheme == GOOGLE:
        return {"gcs": {"bucket_name": store.bucket, **prefix}}
    keys = {} if store.keyless else {"access_key": f"${{{ACCESS_KEY}}}", "secret_key": f"${{{SECRET_KEY}}}"}
    found = {"bucket": store.bucket, "endpoint": store.host, "region": store.region, **keys, **prefix}
    return {"s3": {**found, "bucket_lookup_type": PATH_STYLE if store.path_style else PATH_STYLE - 1}}
