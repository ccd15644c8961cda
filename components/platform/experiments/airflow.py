"""Airflow: a pod for each task, metadata in PostgreSQL, logs in the object store, its page behind the sign-in."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import TYPE_CHECKING, Final

import pulumi

from components.platform.building_blocks import network_policies
from components.platform.building_blocks.chart import release
from components.platform.building_blocks.context import component
from components.platform.building_blocks.database import Database, database
from components.platform.building_blocks.names import AIRFLOW, AIRFLOW_ACCOUNTS, AIRFLOW_HOST, OBJECT_STORE
from components.platform.building_blocks.object_store_access import (
    CA_FOLDER,
    CA_KEY,
    ObjectStoreAccess,
    allow_bucket_egress,
    pod_port,
    register_store_authority,
    store_of,
)
from components.platform.building_blocks.objects import MONITORING, register_object, register_secret
from components.platform.building_blocks.sign_in import register_route

if TYPE_CHECKING:
    import pulumi_kubernetes as kubernetes

    from components.platform.building_blocks.context import Outputs, PlatformContext, PlatformResource

NAME: Final = "airflow"
SECRETS: Final = "airflow-secrets"
STORE: Final = "airflow-store"
SERVICE: Final = "airflow-api-server"
PORT: Final = 8080
USER_ID: Final = 50000  # of the image
NO_GROOMER: Final = {"logGroomerSidecar": {"enabled": False}}
# The user is the one in the gateway's header; there are no passwords. Roles beyond "User" are granted with
# `airflow users add-role`.
SIGN_IN: Final = """\
from flask_appbuilder.const import AUTH_REMOTE_USER

AUTH_TYPE = AUTH_REMOTE_USER
AUTH_REMOTE_USER_ENV_VAR = "HTTP_KUBEFLOW_USERID"
AUTH_USER_REGISTRATION = True
AUTH_USER_REGISTRATION_ROLE = "User"
"""


@component("airflow", "atoll:platform:Airflow")
def build(own: PlatformResource) -> Outputs:
    """Scheduler, DAG processor, triggerer and API server, with their database."""
    context = own.context
    store = store_of(NAME, context)
    authority = register_store_authority("airflow-ca", namespace=AIRFLOW, context=context, parent=own)
    runs = database(own, namespace=AIRFLOW, authority=authority)
    before = [*runs.before, _register_secrets(runs, own), *_register_connection(store, own)]
    release(own, values(context, store), after=before)
    _allow_traffic(store, own)
    endpoint = {"port": "statsd-scrape", "interval": "60s"}
    monitored = {"selector": {"matchLabels": {"component": "statsd", "release": NAME}}, "endpoints": [endpoint]}
    register_object(
        MONITORING, "ServiceMonitor", NAME, monitored, namespace=AIRFLOW, parent=own, logical="airflow-monitor"
    )
    register_route(AIRFLOW_HOST, SERVICE, PORT, namespace=AIRFLOW, own=own)
    return {"airflowUrl": f"https://{context.build_host(AIRFLOW_HOST)}"}


NO_ROOT: Final = {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
NO_PRIVILEGES: Final = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}


def values(context: PlatformContext, store: ObjectStoreAccess) -> dict[str, object]:
    """What differs from the chart's defaults: PostgreSQL, Redis, and a user "admin" with that password."""
    return {
        "executor": "KubernetesExecutor",
        "postgresql": {"enabled": False},
        "redis": {"enabled": False},
        "createUserJob": {"enabled": False},
        # No hook: Helm runs hooks after the pods are ready, and they wait for the migration.
        "migrateDatabaseJob": {"useHelmHooks": False, "applyCustomEnv": False},
        "data": {"metadataSecretName": SECRETS},
        "fernetKeySecretName": SECRETS,
        "apiSecretKeySecretName": SECRETS,
        "webserverSecretKeySecretName": SECRETS,
        "jwtSecretName": SECRETS,
        "env": environment(context, store),
        "secret": _connection_variables(store),
        "volumes": store.list_authority_volumes("authority"),
        "volumeMounts": store.list_authority_mounts("authority"),
        "securityContexts": {
            "pod": {"runAsUser": USER_ID, "runAsGroup": 0, "fsGroup": 0, **NO_ROOT},
            "containers": NO_PRIVILEGES,
        },
        "nodeSelector": dict(context.on_system),
        "workers": _account("workers"),
        "apiServer": {"apiServerConfig": SIGN_IN, **_account("apiServer"), **_build_container_resources("250m", "1Gi")},
        "scheduler": {**NO_GROOMER, **_account("scheduler"), **_build_container_resources("250m", "1Gi")},
        "dagProcessor": {
            "enabled": True,
            **NO_GROOMER,
            **_account("dagProcessor"),
            **_build_container_resources("150m", "512Mi"),
        },
        "triggerer": {
            "persistence": {"enabled": False},
            **NO_GROOMER,
            **_account("triggerer"),
            **_build_container_resources("100m", "512Mi"),
        },
        "statsd": {
            "securityContexts": {"pod": NO_ROOT, "container": NO_PRIVILEGES},
            **_build_container_resources("20m", "64Mi"),
        },
        **_dags(context),
    }


def environment(context: PlatformContext, store: ObjectStoreAccess) -> list[dict[str, object]]:
    """Settings of every Airflow process."""
    said: dict[str, object] = {
        "AIRFLOW__API__BASE_URL": f"https://{context.build_host(AIRFLOW_HOST)}",
        "AIRFLOW__LOGGING__REMOTE_LOGGING": "True",
        "AIRFLOW__LOGGING__REMOTE_BASE_LOG_FOLDER": store.build_uri("logs"),
    }
    if store.scheme == "s3":  # other stores are opened by the pod's identity, without a connection
        said["AIRFLOW__LOGGING__REMOTE_LOG_CONN_ID"] = "store"
    if store.keyless and store.scheme == "s3":
        said["AIRFLOW_CONN_STORE"] = json.dumps({"conn_type": "aws", "extra": {"region_name": store.region}})
    return [{"name": name, "value": value} for name, value in said.items()]


def connection(keys: tuple[str, str], *, endpoint: str, region: str) -> str:
    """Airflow's connection to the store, as JSON; keys: access key, secret key."""
    login, password = keys
    extra = {"endpoint_url": endpoint, "region_name": region, "verify": f"{CA_FOLDER}/{CA_KEY}"}
    return json.dumps({"conn_type": "aws", "login": login, "password": password, "extra": extra})


def fernet_key(secret: str) -> str:
    """Key that Airflow encrypts connections with: 32 bytes, in URL-safe base64."""
    return base64.urlsafe_b64encode(hashlib.sha256(secret.encode()).digest()).decode()


def _account(part: str) -> dict[str, object]:
    """Service account with permissions at the provider."""
    return {"serviceAccount": {"name": AIRFLOW_ACCOUNTS[part]}}


def _build_container_resources(cpu: str, memory: str) -> dict[str, object]:
    return {"resources": {"requests": {"cpu": cpu, "memory": memory}, "limits": {"memory": "2Gi"}}}


def _dags(context: PlatformContext) -> dict[str, object]:
    """DAGs from a git repository of the customer, if there is one."""
    found = context.settings
    if not found.airflow_dags:
        return {}
    sync = {
        "enabled": True,
        "repo": found.airflow_dags,
        "ref": found.airflow_dags_ref,
        "subPath": "",
        "period": "60s",
        "securityContexts": {"container": {"runAsNonRoot": True, **NO_PRIVILEGES}},
    }
    return {"dags": {"gitSync": sync}}


def _register_secrets(runs: Database, own: PlatformResource) -> kubernetes.core.v1.Secret:
    keyring = own.context.keyring
    address = pulumi.Output.concat(
        f"postgresql+psycopg2://{runs.user}:", runs.password, f"@{runs.host}:5432/{runs.name}?sslmode=require"
    )
    content = {
        "connection": address,
        "fernet-key": keyring.get_secret("airflow-fernet").apply(fernet_key),
        "api-secret-key": keyring.get_secret("airflow-api"),
        "webserver-secret-key": keyring.get_secret("airflow-api"),
        "jwt-secret": keyring.get_secret("airflow-jwt"),
    }
    return register_secret(SECRETS, content, namespace=AIRFLOW, parent=own)


def _register_connection(store: ObjectStoreAccess, own: PlatformResource) -> list[pulumi.Resource]:
    if store.keyless:
        return []
    endpoint, region, login = store.endpoint, store.region, store.access_key
    written = pulumi.Output.from_input(store.secret_key).apply(
        lambda key: connection((login, key), endpoint=endpoint, region=region)
    )
    return [register_secret(STORE, {"connection": pulumi.Output.secret(written)}, namespace=AIRFLOW, parent=own)]


def _connection_variables(store: ObjectStoreAccess) -> list[dict[str, object]]:
    if store.keyless:
        return []
    return [{"envName": "AIRFLOW_CONN_STORE", "secretName": STORE, "secretKey": "connection"}]


def _allow_traffic(store: ObjectStoreAccess, own: PlatformResource) -> None:
    if store.keyless:
        allow_bucket_egress(
            "airflow-bucket", namespace=AIRFLOW, pods={"release": NAME}, context=own.context, parent=own
        )
    else:
        network_policies.allow(
            "airflow-store", source=AIRFLOW, target=OBJECT_STORE, ports=[pod_port(own.context)], parent=own
        )
    if own.context.settings.airflow_dags:
        network_policies.allow_egress("airflow-dags", namespace=AIRFLOW, parent=own)
