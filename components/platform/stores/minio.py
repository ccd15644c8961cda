"""MinIO: one erasure set over the nodes of the platform, TLS between all, no console and no default login."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.context.buckets import INCOMPLETE_UPLOAD_DAYS
from components.platform.building_blocks.chart import release
from components.platform.building_blocks.context import component
from components.platform.building_blocks.names import OBJECT_STORE, S3_HOST
from components.platform.building_blocks.objects import (
    MONITORING,
    register_certificate,
    register_object,
    register_secret,
)
from components.platform.stores.s3_policies import METRICS_USER, ROOT_USER, metrics_token
from planning.platform.erasure_coding import Erasure, erasure_set

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.platform.building_blocks.context import Charges, PlatformContext, PlatformResource

NAME: Final = "minio"
ACCOUNT: Final = "object-store"  # `names.BUCKET_USERS`: who may write to the provider's bucket
ROOT: Final = "minio-root"
TLS: Final = "minio-tls"
METRICS: Final = "minio-metrics"
PODS: Final = {"app": NAME, "release": NAME}
MEMORY_MIB: Final = 512
MEMORY_LIMIT: Final = "2Gi"
MILLICORES: Final = 100


def _inputs(context: PlatformContext, charges: Charges) -> dict[str, object]:
    found = find_erasure(context)
    erasure = {"nodes": found.nodes, "drivesPerNode": found.drives_per_node, "parity": found.parity}
    return {**context.describe_part(NAME, charges), "erasure": erasure}


@component("minio", "atoll:platform:Minio", inputs=_inputs)
def build(own: PlatformResource) -> None:
    """The server; who may do what in it is the component `object_store`."""
    keyring = own.context.keyring
    login = {"rootUser": ROOT_USER, "rootPassword": keyring.get_secret(ROOT)}
    root = register_secret(ROOT, login, namespace=OBJECT_STORE, parent=own)
    # One certificate for every name by which a client, or another copy of the server, calls it.
    usages = ["digital signature", "key encipherment", "server auth", "client auth"]
    fields = {"dnsNames": dns_names(), "usages": usages}
    certificate = register_certificate(TLS, fields, namespace=OBJECT_STORE, parent=own)
    release(own, values(own), after=[root, certificate])
    # Prometheus reads as a user that may do nothing else: the chart would open the metrics to everybody.
    token = {"token": keyring.get_secret(f"s3-{METRICS_USER}").apply(metrics_token)}
    secret = register_secret(METRICS, token, namespace=OBJECT_STORE, parent=own)
    monitored = {
        "selector": {"matchLabels": {**PODS, "monitoring": "true"}},
        "endpoints": [_endpoint(path) for path in ("cluster", "node", "bucket")],
    }
    register_object(
        MONITORING,
        "ServiceMonitor",
        NAME,
        monitored,
        namespace=OBJECT_STORE,
        parent=own,
        logical=f"{NAME}-monitor",
        after=[secret],
    )


def find_erasure(context: PlatformContext) -> Erasure:
    return erasure_set(sum(pool.working for pool in context.spec.pools if pool.role == "system"))


def values(own: PlatformResource) -> dict[str, object]:
    """What differs from the chart's defaults: among others a user of known password and a request of 16 GiB."""
    erasure = find_erasure(own.context)
    return {
        "mode": "distributed" if erasure.distributed else "standalone",
        "replicas": erasure.nodes,
        "drivesPerNode": erasure.drives_per_node,
        "deploymentUpdate": {"type": "Recreate"},
        "existingSecret": ROOT,
        # The chart would make a user of known password.
        "users": [],
        "tls": {"enabled": True, "certSecret": TLS, "publicCrt": "tls.crt", "privateKey": "tls.key"},
        "trustedCertsSecret": TLS,
        "persistence": {
            "size": f"{erasure.compute_drive_gb(own.part.disk_gb)}Gi",
            "storageClass": own.context.volume_class,
        },
        "environment": environment(erasure),
        "serviceAccount": {"create": True, "name": ACCOUNT},
        "resources": {
            "requests": {"cpu": f"{MILLICORES}m", "memory": f"{MEMORY_MIB}Mi"},
            "limits": {"memory": MEMORY_LIMIT},
        },
        "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
        "containerSecurityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
        "metrics": {"serviceMonitor": {"public": False}},
        "podDisruptionBudget": {"enabled": erasure.distributed, "maxUnavailable": 1},
        "nodeSelector": dict(own.context.on_system),
        "topologySpreadConstraints": [
            {
                "maxSkew": 1,
                "topologyKey": "kubernetes.io/hostname",
                "whenUnsatisfiable": "DoNotSchedule",
                "labelSelector": {"matchLabels": PODS},
            }
        ],
    }


def environment(erasure: Erasure) -> dict[str, str]:
    return {
        "MINIO_BROWSER": "off",
        "MINIO_UPDATE": "off",
        "MINIO_STORAGE_CLASS_STANDARD": f"EC:{erasure.parity}",
        "MINIO_API_STALE_UPLOADS_EXPIRY": f"{INCOMPLETE_UPLOAD_DAYS * 24}h",
        "MINIO_PROMETHEUS_AUTH_TYPE": "jwt",
    }


def dns_names() -> list[str]:
    """Names of the store, of the chart's service, and of each copy as the others call it."""
    own = f"{NAME}-svc.{OBJECT_STORE}.svc"
    return [S3_HOST, f"s3.{OBJECT_STORE}.svc", f"{NAME}.{OBJECT_STORE}.svc", f"*.{own}", f"*.{own}.cluster.local"]


def _endpoint(path: str) -> Mapping[str, object]:
    return {
        "port": "https",
        "scheme": "https",
        "path": f"/minio/v2/metrics/{path}",
        "interval": "60s",
        "authorization": {"type": "Bearer", "credentials": {"name": METRICS, "key": "token"}},
        "tlsConfig": {"serverName": S3_HOST, "ca": {"secret": {"name": TLS, "key": "ca.crt"}}},
    }
