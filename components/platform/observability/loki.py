"""Loki: the logs of every pod, in the object store."""

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

PART: Final = "loki"
PODS: Final = {"app.kubernetes.io/name": "loki"}
DISK: Final = "10Gi"  # what is not in the bucket yet
KEPT_FOR: Final = "720h"  # 30 days
FIRST_DAY: Final = "2025-01-01"  # from which its format of tables holds: before any cluster of ours
GOOGLE: Final = "gs"
SCALED: Final = ("read", "write", "backend")  # targets of the chart's other way to run it, three pods each by default


@dataclass(frozen=True, kw_only=True)
class LokiArgs:
    """One process that does it all."""

    ground: PlatformContext
    charges: Charges


@final
class Loki(pulumi.ComponentResource):
    """One process, which is enough for some tens of GB a day; what it holds lies in the bucket."""

    def __init__(self, name: str, args: LokiArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:platform:Loki", name, args.ground.facts(PART, args.charges), opts)
        ground = args.ground
        bucket = connect_bucket(PART, ground, pods=PODS, parent=self)
        before = [*authority(ground, parent=self), *bucket.before]
        release(PART, ground.part(PART), values=_values(ground, bucket), ground=ground, parent=self, depends_on=before)
        self.register_outputs({})


def build(ground: PlatformContext, charges: Charges, options: pulumi.ResourceOptions) -> RegisteredComponent:
    return RegisteredComponent(resource=Loki(PART, LokiArgs(ground=ground, charges=charges), opts=options))


def _values(ground: PlatformContext, bucket: ComponentBucket) -> dict[str, object]:
    """No door of its own, no caches: Grafana asks it directly."""
    off = {"enabled": False}
    return {
        "fullnameOverride": PART,
        "deploymentMode": "Monolithic",
        "loki": _loki(bucket),
        "singleBinary": _single(ground, bucket),
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


def _single(ground: PlatformContext, bucket: ComponentBucket) -> dict[str, object]:
    disk: dict[str, object] = {"size": DISK}
    if ground.volume_class:
        disk["storageClass"] = ground.volume_class
    return {
        "replicas": 1,
        "sidecar": False,
        "extraEnv": bucket.trusted,
        "extraEnvFrom": bucket.sources,
        "extraVolumes": bucket.volumes,
        "extraVolumeMounts": bucket.mounts,
        "persistence": disk,
        "nodeSelector": dict(ground.on_system),
        "resources": asks("300m", "1Gi", limit="2Gi"),
    }
