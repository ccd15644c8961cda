"""Kubeflow Hub: the registry of models and its catalog, with generated passwords and without demonstration models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_kubernetes as kubernetes

from components.platform.building_blocks import names
from components.platform.building_blocks.context import RegisteredComponent
from components.platform.building_blocks.manifests import (
    CLAIM,
    Overlay,
    Patch,
    asks,
    build_retention_transform,
    claims,
    manifests,
    on_system,
    paths_of,
    proxies,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.platform.building_blocks.context import Charges, PlatformContext

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


@dataclass(frozen=True, kw_only=True)
class ModelRegistryArgs:
    """What it is built on, and the price of its volumes."""

    ground: PlatformContext
    charges: Charges


@final
class ModelRegistry(pulumi.ComponentResource):
    """The registry, its pages, the catalog and their databases."""

    def __init__(self, name: str, args: ModelRegistryArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        ground = args.ground
        part = ground.part("model_registry")
        super().__init__("atoll:platform:ModelRegistry", name, ground.facts("model_registry", args.charges), opts)
        secrets = [_login(each, ground=ground, parent=self) for each in DATABASES]
        manifests(
            "model-registry",
            part,
            paths=paths_of(part),
            ground=ground,
            overlay=overlay(ground),
            opts=pulumi.ResourceOptions(
                parent=self, depends_on=[*secrets], transforms=[build_retention_transform(CLAIM)]
            ),
        )
        self.register_outputs({})


def build(ground: PlatformContext, charges: Charges, options: pulumi.ResourceOptions) -> RegisteredComponent:
    args = ModelRegistryArgs(ground=ground, charges=charges)
    return RegisteredComponent(resource=ModelRegistry("model-registry", args, opts=options))


def overlay(ground: PlatformContext) -> Overlay:
    """Everything in Kubeflow's namespace, without the secrets that upstream publishes."""
    dropped = [Patch(kind="Secret", name=name) for name in (*DATABASES, HUGGING_FACE)]
    asked = [
        asks(name, containers=[each], cpu=cpu, memory=memory, kind="StatefulSet" if name == STATEFUL else "Deployment")
        for name, (each, cpu, memory) in ASKED.items()
    ]
    patches = [*dropped, *asked, proxies(), *claims(ground), *on_system(ground)]
    return Overlay(namespace=names.KUBEFLOW, patches=patches)


def _login(secret: str, *, ground: PlatformContext, parent: pulumi.Resource) -> kubernetes.core.v1.Secret:
    word, user = DATABASES[secret]
    return kubernetes.core.v1.Secret(
        secret,
        metadata={"name": secret, "namespace": names.KUBEFLOW},
        string_data={"POSTGRES_USER": user, "POSTGRES_PASSWORD": ground.keyring.secret(word)},
        opts=pulumi.ResourceOptions(parent=parent),
    )
