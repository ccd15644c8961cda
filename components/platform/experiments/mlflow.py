"""MLflow: runs in PostgreSQL, artifacts through its own proxy, its page behind the sign-in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_kubernetes as kubernetes

from components.context.names import namespace, workloads
from components.platform.building_blocks import chart, network_policies
from components.platform.building_blocks.context import RegisteredComponent
from components.platform.building_blocks.database import Database, database
from components.platform.building_blocks.names import MLFLOW, MLFLOW_HOST, OBJECT_STORE
from components.platform.building_blocks.object_store_access import (
    CA_KEY,
    CA_NAME,
    ObjectStoreAccess,
    allow_bucket_egress,
    pod_port,
    register_store_authority,
    store_of,
)
from components.platform.building_blocks.sign_in import register_route

if TYPE_CHECKING:
    from components.platform.building_blocks.context import Charges, PlatformContext
    from planning.spec.platform import PlatformComponent

NAME: Final = "mlflow"
KEYS: Final = "mlflow-store"
PORT: Final = 80
POD_PORT: Final = 5000
PODS: Final = {"app.kubernetes.io/name": NAME, "app.kubernetes.io/instance": NAME}
CA_FOLDER: Final = "/etc/s3-ca"
METRICS_FOLDER: Final = "/mlflow/metrics"  # the chart names it, on a file system that it makes read-only
# Six more processes, 1.1 GiB together (3.15.1, measured idle), that judge language models in the server itself.
NO_JOBS: Final = {"MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"}
DRIVER: Final = "psycopg2"  # what MLflow's extra "db" brings; left out, SQLAlchemy 2.1 looks for another
WORKERS: Final = 2  # 250 MiB each, and as much for what starts them (3.15.1, measured idle)
# Beside the names below: pods' own addresses, by which Prometheus and probes call (RFC 1918, RFC 6598).
POD_ADDRESSES: Final = ("10.*", "192.168.*", *(f"172.{each}.*" for each in range(16, 32)), "100.*")


@dataclass(frozen=True, kw_only=True)
class MlflowArgs:
    """The decided part, its charges, and what it stands on."""

    part: PlatformComponent
    ground: PlatformContext
    charges: Charges


@final
class Mlflow(pulumi.ComponentResource):
    """The tracking server with its database."""

    def __init__(self, name: str, args: MlflowArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:platform:Mlflow", name, args.ground.facts(NAME, args.charges), opts)
        ground = args.ground
        store = store_of(NAME, ground)
        authority = register_store_authority("mlflow-ca", namespace=MLFLOW, ground=ground, parent=self)
        runs = database(
            NAME, namespace=MLFLOW, disk_gb=args.part.disk_gb, ground=ground, parent=self, authority=authority
        )
        before = [*runs.before, *_keys(store, parent=self)]
        chart.release(
            NAME, args.part, values=values(ground, runs, store), ground=ground, parent=self, depends_on=before
        )
        _ways(ground, store, parent=self)
        register_route(MLFLOW_HOST, NAME, PORT, namespace=MLFLOW, ground=ground, parent=self)
        self.register_outputs({})


def build(ground: PlatformContext, charges: Charges, options: pulumi.ResourceOptions) -> RegisteredComponent:
    args = MlflowArgs(part=ground.part(NAME), ground=ground, charges=charges)
    made = Mlflow(NAME, args, opts=options)
    return RegisteredComponent(resource=made, outputs={"mlflowUrl": f"https://{ground.host(MLFLOW_HOST)}"})


def values(ground: PlatformContext, runs: Database, store: ObjectStoreAccess) -> dict[str, object]:
    """What differs from the chart's defaults, which keep runs in memory and artifacts in the pod."""
    return {
        "backendStore": {
            "databaseMigration": True,
            "databaseConnectionCheck": True,
            "postgres": {"enabled": True, "host": runs.host, "database": runs.name, "driver": DRIVER},
            "existingDatabaseSecret": {"name": runs.secret},
        },
        "artifactRoot": {"proxiedArtifactStorage": True, **_artifacts(store)},
        "flaskServerSecretKey": ground.keyring.secret("mlflow-flask"),
        "serverAllowedHosts": list_allowed_hosts(ground),
        "corsAllowedOrigins": [f"https://{ground.host(MLFLOW_HOST)}"],
        "extraEnvVars": environment(store),
        "extraArgs": {"workers": str(WORKERS)},
        "serviceAccount": {"name": NAME, "annotations": dict(store.annotations), "automount": False},
        "serviceMonitor": {"enabled": True, "namespace": MLFLOW, "useServicePort": True},
        "resources": {"requests": {"cpu": "250m", "memory": "1Gi"}, "limits": {"memory": "2Gi"}},
        "podSecurityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
        "nodeSelector": dict(ground.on_system),
        "extraVolumes": [{"name": "metrics", "emptyDir": {}}, *_authority_volumes(store)],
        "extraVolumeMounts": [{"name": "metrics", "mountPath": METRICS_FOLDER}, *_authority_mounts(store)],
    }


def list_allowed_hosts(ground: PlatformContext) -> list[str]:
    """Names that the server answers to; any other is taken for DNS rebinding and refused."""
    service = f"{NAME}.{MLFLOW}"
    inside = (service, f"{service}.svc", f"{service}.svc.cluster.local")
    return [ground.host(MLFLOW_HOST), *inside, *(f"{name}:{PORT}" for name in inside), "localhost:*", *POD_ADDRESSES]


def environment(store: ObjectStoreAccess) -> dict[str, str]:
    """How the server's own S3 client finds the store, and which of its features are off."""
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


def _keys(store: ObjectStoreAccess, *, parent: pulumi.Resource) -> list[pulumi.Resource]:
    if store.keyless:
        return []
    found = {"AWS_ACCESS_KEY_ID": store.access_key, "AWS_SECRET_ACCESS_KEY": store.secret_key}
    return [
        kubernetes.core.v1.Secret(
            KEYS,
            metadata={"name": KEYS, "namespace": MLFLOW},
            string_data=found,
            opts=pulumi.ResourceOptions(parent=parent),
        )
    ]


def _authority_volumes(store: ObjectStoreAccess) -> list[dict[str, object]]:
    if not store.ca_secret:
        return []
    return [{"name": "authority", "secret": {"secretName": CA_NAME, "items": [{"key": CA_KEY, "path": CA_KEY}]}}]


def _authority_mounts(store: ObjectStoreAccess) -> list[dict[str, object]]:
    return [{"name": "authority", "mountPath": CA_FOLDER, "readOnly": True}] if store.ca_secret else []


def _ways(ground: PlatformContext, store: ObjectStoreAccess, *, parent: pulumi.Resource) -> None:
    """Workloads reach the server inside the cluster, the server reaches the store, and nobody else either of them."""
    for workload in workloads(ground.spec):
        home = namespace(workload)
        network_policies.allow(
            f"mlflow-{workload}", source=home, target=MLFLOW, target_pods=PODS, ports=[POD_PORT], parent=parent
        )
    if store.keyless:
        allow_bucket_egress("mlflow-bucket", namespace=MLFLOW, pods=PODS, ground=ground, parent=parent)
    else:
        network_policies.allow(
            "mlflow-store",
            source=MLFLOW,
            source_pods=PODS,
            target=OBJECT_STORE,
            ports=[pod_port(ground)],
            parent=parent,
        )
