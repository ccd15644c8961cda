"""MLflow: runs in PostgreSQL, artifacts through its proxy, its page behind the sign-in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.context.names import namespace, workloads
from components.platform.building_blocks import network_policies
from components.platform.building_blocks.chart import release
from components.platform.building_blocks.context import component
from components.platform.building_blocks.database import Database, database
from components.platform.building_blocks.names import MLFLOW, MLFLOW_HOST, OBJECT_STORE
from components.platform.building_blocks.object_store_access import (
    CA_FOLDER,
    CA_KEY,
    ObjectStoreAccess,
    allow_bucket_egress,
    pod_port,
    register_store_authority,
    store_of,
)
from components.platform.building_blocks.objects import register_secret
from components.platform.building_blocks.sign_in import register_route

if TYPE_CHECKING:
    from components.platform.building_blocks.context import Outputs, PlatformContext, PlatformResource

NAME: Final = "mlflow"
KEYS: Final = "mlflow-store"
PORT: Final = 80
POD_PORT: Final = 5000
PODS: Final = {"app.kubernetes.io/name": NAME, "app.kubernetes.io/instance": NAME}
METRICS_FOLDER: Final = "/mlflow/metrics"  # the chart names it, on a file system that it makes read-only
# Six more processes, 1.1 GiB together (3.15.1, measured idle), that judge language models in the server itself.
NO_JOBS: Final = {"MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"}
DRIVER: Final = "psycopg2"  # what MLflow's extra "db" brings; left out, SQLAlchemy 2.1 looks for another
WORKERS: Final = 2  # 250 MiB each, and as much for what starts them (3.15.1, measured idle)
# Pods' IP addresses, which Prometheus and probes use (RFC 1918, RFC 6598).
POD_ADDRESSES: Final = ("10.*", "192.168.*", *(f"172.{each}.*" for each in range(16, 32)), "100.*")


@component("mlflow", "atoll:platform:Mlflow")
def build(own: PlatformResource) -> Outputs:
    """The tracking server with its database."""
    context = own.context
    store = store_of(NAME, context)
    authority = register_store_authority("mlflow-ca", namespace=MLFLOW, context=context, parent=own)
    runs = database(own, namespace=MLFLOW, authority=authority)
    before = list(runs.before)
    if not store.keyless:
        keys = {"AWS_ACCESS_KEY_ID": store.access_key, "AWS_SECRET_ACCESS_KEY": store.secret_key}
        before.append(register_secret(KEYS, keys, namespace=MLFLOW, parent=own))
    release(own, values(context, runs, store), after=before)
    _allow_traffic(store, own)
    register_route(MLFLOW_HOST, NAME, PORT, namespace=MLFLOW, own=own)
    return {"mlflowUrl": f"https://{context.build_host(MLFLOW_HOST)}"}


def values(context: PlatformContext, runs: Database, store: ObjectStoreAccess) -> dict[str, object]:
    """What differs from the chart's defaults, which keep runs in memory and artifacts in the pod."""
    return {
        "backendStore": {
            "databaseMigration": True,
            "databaseConnectionCheck": True,
            "postgres": {"enabled": True, "host": runs.host, "database": runs.name, "driver": DRIVER},
            "existingDatabaseSecret": {"name": runs.secret},
        },
        "artifactRoot": {"proxiedArtifactStorage": True, **_artifacts(store)},
        "flaskServerSecretKey": context.keyring.get_secret("mlflow-flask"),
        "serverAllowedHosts": list_allowed_hosts(context),
        "corsAllowedOrigins": [f"https://{context.build_host(MLFLOW_HOST)}"],
        "extraEnvVars": environment(store),
        "extraArgs": {"workers": str(WORKERS)},
        "serviceAccount": {"name": NAME, "annotations": dict(store.annotations), "automount": False},
        "serviceMonitor": {"enabled": True, "namespace": MLFLOW, "useServicePort": True},
        "resources": {"requests": {"cpu": "250m", "memory": "1Gi"}, "limits": {"memory": "2Gi"}},
        "podSecurityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
        "nodeSelector": dict(context.on_system),
        "extraVolumes": [{"name": "metrics", "emptyDir": {}}, *store.list_authority_volumes("authority")],
        "extraVolumeMounts": [
            {"name": "metrics", "mountPath": METRICS_FOLDER},
            *store.list_authority_mounts("authority"),
        ],
    }


def list_allowed_hosts(context: PlatformContext) -> list[str]:
    """Host names that the server accepts."""
    service = f"{NAME}.{MLFLOW}"
    # Others are refused, against DNS rebinding.
    inside = (service, f"{service}.svc", f"{service}.svc.cluster.local")
    return [
        context.build_host(MLFLOW_HOST),
        *inside,
        *(f"{name}:{PORT}" for name in inside),
        "localhost:*",
        *POD_ADDRESSES,
    ]


def environment(store: ObjectStoreAccess) -> dict[str, str]:
    """Settings of the server's S3 client, and features that are off."""
    if store.scheme != "s3":
        return dict(NO_JOBS)
    found = {
        **NO_JOBS,
        "MLFLOW_S3_ENDPOINT_URL": store.endpoint,
        "AWS_DEFAULT_REGION": store.region,
        "MLFLOW_BOTO_CLIENT_ADDRESSING_STYLE": "path" if store.path_style else "virtual",
    }
    return {**found, "AWS_CA_BUNDLE": f"{CA_FOLDER}/{CA_KEY}"} if store.ca_secret else found


def _artifacts(store: ObjectStoreAccess) -> dict[str, object]:
    place: dict[str, object] = {"enabled": True, "bucket": store.bucket, "path": store.prefix}
    if store.scheme != "s3":
        return {"gcs": place}
    return {"s3": place if store.keyless else {**place, "existingSecret": {"name": KEYS}}}


def _allow_traffic(store: ObjectStoreAccess, own: PlatformResource) -> None:
    """Workloads may call the server, and the server the store."""
    context = own.context
    for workload in workloads(context.spec):
        home = namespace(workload)
        network_policies.allow(
            f"mlflow-{workload}", source=home, target=MLFLOW, target_pods=PODS, ports=[POD_PORT], parent=own
        )
    if store.keyless:
        allow_bucket_egress("mlflow-bucket", namespace=MLFLOW, pods=PODS, context=context, parent=own)
    else:
        ports = [pod_port(context)]
        network_policies.allow(
            "mlflow-store", source=MLFLOW, source_pods=PODS, target=OBJECT_STORE, ports=ports, parent=own
        )
