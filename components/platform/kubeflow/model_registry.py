"""Kubeflow Hub: the registry of models and its catalog, with generated passwords and without demonstration models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

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
from components.platform.building_blocks.objects import register_secret

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.platform.building_blocks.context import PlatformContext, PlatformResource


# Secret of upstream to the secret of the keyring and the user that is in it.
DATABASES: Final[Mapping[str, tuple[str, str]]] = {
    "model-registry-db-secrets": ("hub-database", "registry"),
    "model-catalog-postgres": ("hub-catalog-database", "catalog"),
}
# Workload to its container, cores and memory. The release asks nothing for them, but 500m and 2 GiB for the page.
ASKED: Final[Mapping[str, tuple[str, str, str]]] = {
    "model-catalog-server": ("catalog", "20m", "128Mi"),
    "model-registry-db": ("db-container", "50m", "128Mi"),
    "model-registry-deployment": ("rest-container", "20m", "64Mi"),
    "model-registry-ui": ("model-registry-ui", "20m", "128Mi"),
    "model-catalog-postgres": ("postgres", "50m", "128Mi"),
}
STATEFUL: Final = "model-catalog-postgres"
HUGGING_FACE: Final = "model-catalog-hf-api-key"  # optional for the pod; upstream's holds a placeholder


@component("model_registry", "atoll:platform:ModelRegistry")
def build(own: PlatformResource) -> None:
    """The registry, its pages, the catalog and their databases, all in Kubeflow's namespace."""
    keyring = own.context.keyring
    secrets = [
        register_secret(
            name,
            {"POSTGRES_USER": user, "POSTGRES_PASSWORD": keyring.get_secret(word)},
            namespace=names.KUBEFLOW,
            parent=own,
        )
        for name, (word, user) in DATABASES.items()
    ]
    kept = build_retention_transform(CLAIM)
    manifests(own, patches(own.context), namespace=names.KUBEFLOW, after=secrets, transforms=[kept])


def patches(context: PlatformContext) -> list[Patch]:
    """Without the secrets that upstream publishes."""
    return [
        *(Patch(kind="Secret", name=name) for name in (*DATABASES, HUGGING_FACE)),
        *(
            request_resources(
                name, container, cpu=cpu, memory=memory, kind="StatefulSet" if name == STATEFUL else "Deployment"
            )
            for name, (container, cpu, memory) in ASKED.items()
        ),
        proxies(),
        *claims(context),
        *on_system(context),
    ]
