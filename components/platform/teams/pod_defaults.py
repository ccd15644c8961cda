"""PodDefaults of a namespace, for object store, tracker and shared volumes, and its configuration of pipelines."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_kubernetes as kubernetes
import yaml

from components.platform.building_blocks import names
from components.platform.building_blocks.names import MLFLOW_ADDRESS
from components.platform.building_blocks.object_store_access import (
    CA_FOLDER,
    CA_KEY,
    ObjectStoreAccess,
    register_store_authority,
    store_of,
)
from components.platform.building_blocks.objects import register_object, register_secret

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from components.context.settings import StackSettings
    from components.platform.building_blocks.context import PlatformContext
    from components.platform.teams.namespaces import WorkloadNamespace

# MLflow's client asks a server that keeps artifacts in S3 for signed addresses, and then downloads from the store
# itself: past the proxy, where neither its network nor the certificate authority lets it. Both are switched off at the
# client alone (mlflow/store/artifact/mlflow_artifacts_repo.py of 3.15.1; `tests/server/test_mlflow.py` met it).
THROUGH_PROXY: Final[Mapping[str, str]] = {
    "MLFLOW_ENABLE_PROXY_MULTIPART_DOWNLOAD": "false",
    "MLFLOW_ENABLE_PROXY_MULTIPART_UPLOAD": "false",
}


def plain(settings: StackSettings) -> dict[str, dict[str, str]]:
    """Tracker to its environment, without secrets."""
    return {
        "mlflow": {"MLFLOW_TRACKING_URI": MLFLOW_ADDRESS, **THROUGH_PROXY},
        "wandb": {"WANDB_BASE_URL": settings.wandb_base_url} if settings.wandb_base_url else {},
        "comet": {"COMET_URL_OVERRIDE": settings.comet_base_url} if settings.comet_base_url else {},
    }


def secrets(settings: StackSettings) -> dict[str, dict[str, pulumi.Input[str]]]:
    """Tracker to its key, if it is a setting of the stack."""
    found = {"wandb": ("WANDB_API_KEY", settings.wandb_api_key), "comet": ("COMET_API_KEY", settings.comet_api_key)}
    return {tracker: {name: key} for tracker, (name, key) in found.items() if key}


API: Final = "kubeflow.org/v1alpha1"
SHARED: Final = "/mnt"  # a shared volume is mounted below it, at its claim's name
TRACKER_KEY: Final = "tracker"  # Secret with the key of Weights & Biases or Comet
# Tracker to the variable that its library reads its key from (docs.wandb.ai, comet.com/docs: "API key").
KEYS: Final[Mapping[str, str]] = {"wandb": "WANDB_API_KEY", "comet": "COMET_API_KEY"}


def defaults(home: WorkloadNamespace, *, context: PlatformContext, parent: pulumi.Resource) -> None:
    """PodDefaults and the secrets behind them; a pod takes each by the label `<its name>: "true"`."""
    authority = register_store_authority(
        f"{home.workload}-store-ca", namespace=home.namespace, context=context, parent=parent
    )
    after = [authority] if authority else []
    for position, team in enumerate(home.teams):
        name = names.S3_DEFAULT if position == 0 else f"{names.S3_DEFAULT}-{team}"
        _store(home, team, name, context=context, after=after, parent=parent)
    _tracker(home, context=context, parent=parent)
    for volume in context.handle.volumes:
        mounted = {
            "volumes": [{"name": volume.claim, "persistentVolumeClaim": {"claimName": volume.claim}}],
            "volumeMounts": [{"name": volume.claim, "mountPath": f"{SHARED}/{volume.claim}"}],
        }
        _register_pod_default(
            home, volume.claim, f"the shared volume at {SHARED}/{volume.claim}", mounted, parent=parent
        )


def _store(
    home: WorkloadNamespace,
    team: str,
    name: str,
    *,
    context: PlatformContext,
    after: Sequence[pulumi.Resource],
    parent: pulumi.Resource,
) -> None:
    """Endpoint, bucket and keys of a team, in the variables of S3 libraries and MLflow."""
    store = store_of(f"team-{team}", context)
    secret = f"{name}-store"
    variables, logical = dict(_variables(store)), f"{home.workload}-{secret}"
    register_secret(secret, variables, namespace=home.namespace, parent=parent, logical=logical)
    given: dict[str, object] = {
        "env": [
            {"name": key, "valueFrom": {"secretKeyRef": {"name": secret, "key": key}}} for key, _ in _variables(store)
        ]
    }
    if store.ca_secret:
        given["volumes"] = store.list_authority_volumes(f"{name}-ca")
        given["volumeMounts"] = store.list_authority_mounts(f"{name}-ca")
    _register_pod_default(home, name, f"the bucket of team {team}", given, parent=parent, after=after)


def _variables(store: ObjectStoreAccess) -> Iterator[tuple[str, pulumi.Input[str]]]:
    yield "AWS_REGION", store.region
    yield "S3_URI", store.build_uri()
    if store.keyless:
        return
    yield "AWS_ACCESS_KEY_ID", store.access_key
    yield "AWS_SECRET_ACCESS_KEY", store.secret_key
    yield "AWS_ENDPOINT_URL", store.endpoint
    yield "MLFLOW_S3_ENDPOINT_URL", store.endpoint
    if store.ca_secret:
        yield "AWS_CA_BUNDLE", f"{CA_FOLDER}/{CA_KEY}"


def _tracker(home: WorkloadNamespace, *, context: PlatformContext, parent: pulumi.Resource) -> None:
    """The key of Weights & Biases or Comet is a setting of the stack, or people put it into the Secret themselves."""
    tracker, settings = context.spec.tracker, context.settings
    if tracker == names.MLFLOW and not context.has("mlflow"):
        return
    kept = secrets(settings).get(tracker)
    if kept:
        logical = f"{home.workload}-{TRACKER_KEY}"
        register_secret(TRACKER_KEY, kept, namespace=home.namespace, parent=parent, logical=logical)
    env: list[dict[str, object]] = [{"name": name, "value": value} for name, value in plain(settings)[tracker].items()]
    if tracker in KEYS:
        reference = {"name": TRACKER_KEY, "key": KEYS[tracker], "optional": True}
        env.append({"name": KEYS[tracker], "valueFrom": {"secretKeyRef": reference}})
    _register_pod_default(home, tracker, "the experiment tracker", {"env": env}, parent=parent)


def _register_pod_default(
    home: WorkloadNamespace,
    name: str,
    description: str,
    spec: Mapping[str, object],
    *,
    parent: pulumi.Resource,
    after: Sequence[pulumi.Resource] = (),
) -> None:
    register_object(
        API,
        "PodDefault",
        name,
        {"desc": description, "selector": {"matchLabels": {name: "true"}}, **spec},
        namespace=home.namespace,
        parent=parent,
        logical=f"{home.workload}-{name}-default",
        after=after,
    )


PIPELINES_KEYS: Final = "mlpipeline-minio-artifact"  # the name that the engine and the pages look for
FOLDER: Final = "pipelines"
METADATA: Final = {
    "METADATA_GRPC_SERVICE_HOST": f"metadata-grpc-service.{names.KUBEFLOW}",
    "METADATA_GRPC_SERVICE_PORT": "8080",
}
DEFAULT: Final = "default-namespaced"


def pipelines(home: WorkloadNamespace, *, context: PlatformContext, parent: pulumi.Resource) -> None:
    """Artifacts go to the bucket of the namespace's first team, by the keys of that team."""
    if not home.teams or not context.has("pipelines"):
        return
    store = store_of(f"team-{home.teams[0]}", context)
    if not store.keyless:
        keys, logical = (
            {"accesskey": store.access_key, "secretkey": store.secret_key},
            f"{home.workload}-pipelines-keys",
        )
        register_secret(PIPELINES_KEYS, keys, namespace=home.namespace, parent=parent, logical=logical)
    launcher = {"defaultPipelineRoot": store.build_uri(FOLDER), "providers": yaml.safe_dump(providers(store))}
    _register_config_map(home, "kfp-launcher", launcher, parent=parent)
    _register_config_map(home, "metadata-grpc-configmap", METADATA, parent=parent)
    marked = {"workflows.argoproj.io/default-artifact-repository": DEFAULT}
    logs = pulumi.Output.from_input(store.bucket).apply(lambda bucket: json.dumps(repository(store, bucket=bucket)))
    _register_config_map(home, "artifact-repositories", {DEFAULT: logs}, annotations=marked, parent=parent)


def providers(store: ObjectStoreAccess) -> dict[str, object]:
    """How the launcher opens the bucket (kubeflow/pipelines 2.16.1, backend/src/v2/config/s3.go)."""
    credentials: dict[str, object] = {"fromEnv": True}
    if not store.keyless:
        reference = {"secretName": PIPELINES_KEYS, "accessKeyKey": "accesskey", "secretKeyKey": "secretkey"}
        credentials = {"fromEnv": False, "secretRef": reference}
    default = {
        "endpoint": store.endpoint,
        "region": store.region,
        "disableSSL": False,
        "forcePathStyle": store.path_style,
        "credentials": credentials,
    }
    return {store.scheme: {"default": default}}


def repository(store: ObjectStoreAccess, *, bucket: str) -> dict[str, object]:
    """Where the engine puts logs (argo-workflows v3.7.3, S3ArtifactRepository)."""
    folder = "/".join(part for part in (store.prefix, FOLDER, "logs") if part)
    s3: dict[str, object] = {
        "endpoint": store.host,
        "bucket": bucket,
        "region": store.region,
        "insecure": False,
        "keyFormat": f"{folder}/{{{{workflow.name}}}}/{{{{pod.name}}}}",
    }
    if store.keyless:
        s3["useSDKCreds"] = True
    else:
        s3["accessKeySecret"] = {"name": PIPELINES_KEYS, "key": "accesskey"}
        s3["secretKeySecret"] = {"name": PIPELINES_KEYS, "key": "secretkey"}
    if store.ca_secret:
        s3["caSecret"] = {"name": store.ca_secret, "key": CA_KEY}
    return {"archiveLogs": True, "s3": s3}


def _register_config_map(
    home: WorkloadNamespace,
    name: str,
    values: dict[str, str] | dict[str, pulumi.Output[str]] | dict[str, str | pulumi.Output[str]],
    *,
    parent: pulumi.Resource,
    annotations: dict[str, str] | None = None,
) -> None:
    kubernetes.core.v1.ConfigMap(
        f"{home.workload}-{name}",
        metadata={"name": name, "namespace": home.namespace, "annotations": annotations or {}},
        data=dict(values),
        opts=pulumi.ResourceOptions(parent=parent),
    )
