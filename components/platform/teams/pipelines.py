"""What a namespace needs to run pipelines: where artifacts and logs go, by which keys, and who keeps metadata."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_kubernetes as kubernetes
import yaml

from components.platform.building_blocks import names
from components.platform.building_blocks.object_store_access import CA_KEY, ObjectStoreAccess, store_of

if TYPE_CHECKING:
    from components.platform.building_blocks.context import PlatformContext
    from components.platform.teams.namespaces import WorkloadNamespace

KEYS: Final = "mlpipeline-minio-artifact"  # the name that the engine and the pages look for
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
        kubernetes.core.v1.Secret(
            f"{home.workload}-pipelines-keys",
            metadata={"name": KEYS, "namespace": home.namespace},
            string_data={"accesskey": store.access_key, "secretkey": store.secret_key},
            opts=pulumi.ResourceOptions(parent=parent),
        )
    launcher = {"defaultPipelineRoot": store.uri(FOLDER), "providers": yaml.safe_dump(providers(store))}
    _register_config_map(home, "kfp-launcher", launcher, parent=parent)
    _register_config_map(home, "metadata-grpc-configmap", METADATA, parent=parent)
    marked = {"workflows.argoproj.io/default-artifact-repository": DEFAULT}
    logs = pulumi.Output.from_input(store.bucket).apply(lambda bucket: json.dumps(repository(store, bucket=bucket)))
    _register_config_map(home, "artifact-repositories", {DEFAULT: logs}, annotations=marked, parent=parent)


def providers(store: ObjectStoreAccess) -> dict[str, object]:
    """How the launcher opens the bucket (kubeflow/pipelines 2.16.1, backend/src/v2/config/s3.go)."""
    credentials: dict[str, object] = {"fromEnv": True}
    if not store.keyless:
        reference = {"secretName": KEYS, "accessKeyKey": "accesskey", "secretKeyKey": "secretkey"}
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
        s3["accessKeySecret"] = {"name": KEYS, "key": "accesskey"}
        s3["secretKeySecret"] = {"name": KEYS, "key": "secretkey"}
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
