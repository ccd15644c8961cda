"""Kubeflow Pipelines on the platform's own object store, with generated secrets and without a controller of namespaces.

Upstream's SeaweedFS has a fixed key, and a controller makes users in it; neither is installed. The component "teams"
makes what each namespace needs to run pipelines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import yaml

from components.platform.building_blocks import names
from components.platform.building_blocks.context import component
from components.platform.building_blocks.manifests import (
    CLAIM,
    Patch,
    build_retention_transform,
    claims,
    manifests,
    on_system,
    proxies,
    request_resources,
)
from components.platform.building_blocks.object_store_access import (
    CA_KEY,
    ObjectStoreAccess,
    register_store_authority,
    store_of,
)
from components.platform.building_blocks.objects import register_secret
from planning.values.errors import AtollError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pulumi

    from components.platform.building_blocks.context import PlatformContext, PlatformResource


USER: Final = "pipelines"
STORE_KEYS: Final = "mlpipeline-minio-artifact"  # Secret of the store's keys, by upstream's name
DATABASE_KEYS: Final = "mysql-secret"
CERTIFICATES: Final = "/kfp/store"
# Deployment to its container and the memory it asks for, where the release asks nothing.
MEMORY: Final[Mapping[str, tuple[str, str]]] = {
    "cache-server": ("server", "64Mi"),
    "metadata-envoy-deployment": ("container", "64Mi"),
    "metadata-grpc-deployment": ("container", "64Mi"),
    "metadata-writer": ("main", "128Mi"),
    "ml-pipeline-scheduledworkflow": ("ml-pipeline-scheduledworkflow", "64Mi"),
    "ml-pipeline-viewer-crd": ("ml-pipeline-viewer-crd", "64Mi"),
}
CODE_USER: Final = 1000  # user ID of a step: the namespaces admit no root
# What the in-cluster store and the controller of namespaces consist of, by kind (third-party/seaweedfs,
# third-party/metacontroller, base/installs/multi-user/pipelines-profile-controller at the release's commit).
LEFT_OUT: Final = (
    ("Secret", STORE_KEYS),
    ("Secret", DATABASE_KEYS),
    ("Deployment", "seaweedfs"),
    ("Service", "seaweedfs"),
    ("PersistentVolumeClaim", "seaweedfs-pvc"),
    ("ServiceAccount", "seaweedfs"),
    ("NetworkPolicy", "seaweedfs"),
    ("AuthorizationPolicy", "seaweedfs-service"),
    ("DestinationRule", "ml-pipeline-seaweedfs"),
    ("Deployment", "kubeflow-pipelines-profile-controller"),
    ("Service", "kubeflow-pipelines-profile-controller"),
    ("DecoratorController", "kubeflow-pipelines-profile-controller"),
    ("ConfigMap", "kubeflow-pipelines-profile-controller-code"),
    ("ConfigMap", "kubeflow-pipelines-profile-controller-env"),
    ("StatefulSet", "metacontroller"),
    ("ServiceAccount", "meta-controller-service"),
    ("ClusterRole", "kubeflow-metacontroller"),
    ("ClusterRoleBinding", "meta-controller-cluster-role-binding"),
    ("CustomResourceDefinition", r"[a-z]+\.metacontroller\.k8s\.io"),
)


@component("pipelines", "atoll:platform:Pipelines")
def build(own: PlatformResource) -> None:
    """The API, its pages, the engine of workflows and their database."""
    context = own.context
    store = require_s3(store_of(USER, context))
    authority = register_store_authority("pipelines-store-ca", namespace=names.KUBEFLOW, context=context, parent=own)
    before = [*_register_secrets(own, store), *([authority] if authority else [])]
    manifests(own, patches(context, store), after=before, transforms=[build_retention_transform(CLAIM)])


def patches(context: PlatformContext, store: ObjectStoreAccess) -> list[Patch]:
    return [
        *(Patch(kind=kind, name=name) for kind, name in LEFT_OUT),
        *_build_store_patches(store),
        _build_database_patch(),
        *(request_resources(name, each, cpu="10m", memory=memory) for name, (each, memory) in MEMORY.items()),
        proxies(),
        *claims(context),
        *on_system(context),
    ]


def _register_secrets(own: PlatformResource, store: ObjectStoreAccess) -> list[pulumi.Resource]:
    keys = {"accesskey": store.access_key, "secretkey": store.secret_key, "bucket": store.bucket}
    login = {"username": "root", "password": own.context.keyring.get_secret("pipelines-database")}
    return [
        register_secret(STORE_KEYS, keys, namespace=names.KUBEFLOW, parent=own),
        register_secret(DATABASE_KEYS, login, namespace=names.KUBEFLOW, parent=own),
    ]


def require_s3(store: ObjectStoreAccess) -> ObjectStoreAccess:
    """The store, which must be S3.

    Raises:
        AtollError: it is not.
    """
    if store.scheme == "s3":
        return store
    raise AtollError(
        "Kubeflow Pipelines keep artifacts over S3, which this provider's object store does not speak without keys",
        hint="platform.object_store: minio, or platform.without: [pipelines]",
    )


def _build_store_patches(store: ObjectStoreAccess) -> Iterator[Patch]:
    """Patches of everything that names the object store."""
    host, _, port = store.host.partition(":")
    defaults = {
        "defaultSecurityContextRunAsUser": str(CODE_USER),
        "defaultSecurityContextRunAsGroup": "0",
        "defaultSecurityContextRunAsNonRoot": "true",
    }
    yield Patch(kind="ConfigMap", name="pipeline-install-config", change={"data": defaults})
    kept = {"artifactRepository": yaml.safe_dump({"archiveLogs": False})}  # each namespace has its own
    yield Patch(kind="ConfigMap", name="workflow-controller-configmap", change={"data": kept})
    yield _build_deployment_patch(
        "ml-pipeline", "ml-pipeline-api-server", _api(store, host=host, port=port), store=store
    )
    yield _build_deployment_patch("ml-pipeline-ui", "ml-pipeline-ui", _pages(store, host=host, port=port), store=store)


def _api(store: ObjectStoreAccess, *, host: str, port: str) -> list[dict[str, object]]:
    told = {
        "OBJECTSTORECONFIG_HOST": host,
        "OBJECTSTORECONFIG_PORT": port,
        "OBJECTSTORECONFIG_SECURE": "true",
        "OBJECTSTORECONFIG_REGION": store.region,
        "OBJECTSTORECONFIG_PIPELINEPATH": f"{store.prefix}/definitions" if store.prefix else "definitions",
        # Go reads certificates of this folder beside those of the system; steps get the Secret of their namespace.
        **({"SSL_CERT_DIR": CERTIFICATES, "CABUNDLE_SECRET_NAME": store.ca_secret} if store.ca_secret else {}),
    }
    bucket = {"configMapKeyRef": None, "secretKeyRef": {"name": STORE_KEYS, "key": "bucket"}}
    return [*_plain(told), {"name": "OBJECTSTORECONFIG_BUCKETNAME", "valueFrom": bucket}]


def _pages(store: ObjectStoreAccess, *, host: str, port: str) -> list[dict[str, object]]:
    told = {
        "MINIO_HOST": host,
        "MINIO_PORT": port or "443",
        "MINIO_SSL": "true",
        "AWS_S3_ENDPOINT": host,
        "AWS_REGION": store.region,
        **({"NODE_EXTRA_CA_CERTS": f"{CERTIFICATES}/{CA_KEY}"} if store.ca_secret else {}),
    }
    return [*_plain(told), {"name": "MINIO_NAMESPACE", "value": "", "valueFrom": None}]


def _plain(told: Mapping[str, str]) -> list[dict[str, object]]:
    return [{"name": name, "value": value} for name, value in told.items()]


def _build_deployment_patch(
    deployment: str, container: str, env: list[dict[str, object]], *, store: ObjectStoreAccess
) -> Patch:
    """A deployment with other environment variables, and with the store's certificate authority mounted."""
    inside: dict[str, object] = {"name": container, "env": env}
    pod: dict[str, object] = {"containers": [inside]}
    if store.ca_secret:
        inside["volumeMounts"] = store.list_authority_mounts("store-ca", folder=CERTIFICATES)
        pod["volumes"] = store.list_authority_volumes("store-ca")
    return Patch(kind="Deployment", name=deployment, change={"spec": {"template": {"spec": pod}}})


def _build_database_patch() -> Patch:
    """A password for root."""
    secret = {"secretKeyRef": {"name": DATABASE_KEYS, "key": "password"}}
    env: list[dict[str, object]] = [
        # Upstream has no password for root.
        {"name": "MYSQL_ALLOW_EMPTY_PASSWORD", "$patch": "delete"},
        {"name": "MYSQL_ROOT_PASSWORD", "valueFrom": secret},
    ]
    pod = {"containers": [{"name": "mysql", "env": env}]}
    return Patch(kind="Deployment", name="mysql", change={"spec": {"template": {"spec": pod}}})
