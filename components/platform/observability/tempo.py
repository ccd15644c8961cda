"""Tempo: traces, in the object store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi

from components.platform.building_blocks.chart import release
from components.platform.building_blocks.context import RegisteredComponent
from components.platform.observability.object_storage import (
    ACCESS_KEY,
    SECRET_KEY,
    ComponentBucket,
    asks,
    authority,
    connect_bucket,
)

if TYPE_CHECKING:
    from components.platform.building_blocks.context import Charges, PlatformContext

PART: Final = "tempo"
PODS: Final = {"app.kubernetes.io/name": "tempo"}
DISK: Final = "10Gi"  # what is not in the bucket yet
KEPT_FOR: Final = "336h"  # 14 days
GOOGLE: Final = "gs"
ANY_ADDRESS: Final = "0.0.0.0"  # noqa: S104 - of its own pod; the network policies say who gets there
PATH_STYLE: Final = 2  # minio-go's BucketLookupType: 1 is by name of host, 2 by path


@dataclass(frozen=True, kw_only=True)
class TempoArgs:
    """One process."""

    ground: PlatformContext
    charges: Charges


@final
class Tempo(pulumi.ComponentResource):
    """One process; what it holds lies in the bucket."""

    def __init__(self, name: str, args: TempoArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:platform:Tempo", name, args.ground.facts(PART, args.charges), opts)
        ground = args.ground
        bucket = connect_bucket(PART, ground, pods=PODS, parent=self)
        before = [*([] if ground.has("loki") else authority(ground, parent=self)), *bucket.before]
        release(PART, ground.part(PART), values=_values(ground, bucket), ground=ground, parent=self, depends_on=before)
        self.register_outputs({})


def build(ground: PlatformContext, charges: Charges, options: pulumi.ResourceOptions) -> RegisteredComponent:
    return RegisteredComponent(resource=Tempo(PART, TempoArgs(ground=ground, charges=charges), opts=options))


def _values(ground: PlatformContext, bucket: ComponentBucket) -> dict[str, object]:
    disk: dict[str, object] = {"enabled": True, "size": DISK}
    if ground.volume_class:
        disk["storageClassName"] = ground.volume_class
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
        "nodeSelector": dict(ground.on_system),
    }


def _bucket(bucket: ComponentBucket) -> dict[str, object]:
    store = bucket.store
    prefix = {"prefix": store.prefix} if store.prefix else {}
    if store.scheme == GOOGLE:
        return {"gcs": {"bucket_name": store.bucket, **prefix}}
    keys = {} if store.keyless else {"access_key": f"${{{ACCESS_KEY}}}", "secret_key": f"${{{SECRET_KEY}}}"}
    found = {"bucket": store.bucket, "endpoint": store.host, "region": store.region, **keys, **prefix}
    return {"s3": {**found, "bucket_lookup_type": PATH_STYLE if store.path_style else PATH_STYLE - 1}}
