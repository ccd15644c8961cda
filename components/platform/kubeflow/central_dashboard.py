"""Kubeflow's dashboard, Profiles and PodDefaults; the definition of Profiles is kept whatever happens to the stack."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi

from components.platform.building_blocks import names
from components.platform.building_blocks.context import RegisteredComponent
from components.platform.building_blocks.manifests import (
    DEFINITION,
    Overlay,
    Patch,
    asks,
    build_retention_transform,
    manifests,
    on_system,
    paths_of,
    proxies,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from components.platform.building_blocks.context import Charges, PlatformContext

PROFILES: Final = "profiles.kubeflow.org"  # with it goes every Profile, and every namespace that one of them made
DEFINITION_PATH: Final = "applications/dashboard/upstream/profile-controller/base/crd"
# Part of the platform to the menu entry that leads to it: text, link, icon (dashboard v2.0.0, dashboard-config).
MENU: Final[Mapping[str, tuple[tuple[str, str, str], ...]]] = {
    "notebooks": (
        ("Notebooks", "/jupyter/", "book"),
        ("TensorBoards", "/tensorboards/", "assessment"),
        ("Volumes", "/volumes/", "device:storage"),
    ),
    "katib": (("Katib Experiments", "/katib/", "kubeflow:katib"),),
    "kserve": (("KServe Endpoints", "/kserve-endpoints/", "kubeflow:models"),),
    "model_registry": (("Model Registry", "/model-registry/", "assignment"),),
}
# Deployment to the memory of its containers, for which the release asks nothing (idle: 302 MiB together, upstream).
MEMORY: Final[Mapping[str, Mapping[str, str]]] = {
    "dashboard": {"dashboard": "96Mi"},
    "poddefaults-webhook-deployment": {"poddefaults-webhook": "64Mi"},
    "profiles-deployment": {"manager": "64Mi", "access-management": "64Mi"},
}
PIPELINES: Final = ("Pipelines", "Experiments", "Runs", "Recurring Runs", "Artifacts", "Executions")
# Pages of other parts, below the cluster's domain: text, first label of the name, icon.
OUTSIDE: Final[Mapping[str, tuple[str, str, str]]] = {
    "mlflow": ("MLflow", names.MLFLOW_HOST, "assignment"),
    "prometheus": ("Grafana", names.GRAFANA_HOST, "assessment"),
    "airflow": ("Airflow", names.AIRFLOW_HOST, "assignment"),
    "argo_cd": ("Argo CD", names.ARGO_CD_HOST, "assignment"),
}


@dataclass(frozen=True, kw_only=True)
class DashboardArgs:
    """Whose dashboard."""

    ground: PlatformContext
    charges: Charges


@final
class Dashboard(pulumi.ComponentResource):
    """The dashboard, the controller of Profiles and the webhook of PodDefaults."""

    def __init__(self, name: str, args: DashboardArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        ground = args.ground
        part = ground.part("dashboard")
        super().__init__("atoll:platform:Dashboard", name, ground.facts("dashboard", args.charges), opts)
        manifests(
            "dashboard",
            part,
            paths=paths_of(part),
            ground=ground,
            overlay=overlay(ground),
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.register_outputs({})


@final
class ProfileDefinition(pulumi.ComponentResource):
    """The definition of Profiles, alone: what is protected keeps alive all that it depends on, and this is nothing."""

    def __init__(self, name: str, args: DashboardArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        ground = args.ground
        part = ground.part("dashboard")
        super().__init__("atoll:platform:ProfileDefinition", name, {"version": part.version}, opts)
        # Not on a cluster of the stack's own: protected in there, it would keep the whole cluster from its destroy.
        kept = build_retention_transform(DEFINITION, ending=PROFILES, protect=ground.spec.existing is not None)
        manifests(
            "profile-definition",
            part,
            paths=[DEFINITION_PATH],
            ground=ground,
            opts=pulumi.ResourceOptions(parent=self, transforms=[kept]),
        )
        self.register_outputs({})


def build(ground: PlatformContext, charges: Charges, options: pulumi.ResourceOptions) -> RegisteredComponent:
    args = DashboardArgs(ground=ground, charges=charges)
    free = pulumi.ResourceOptions(parent=options.parent, provider=options.provider)
    definition = ProfileDefinition("profile-definition", args, opts=free)
    after = pulumi.ResourceOptions.merge(options, pulumi.ResourceOptions(depends_on=[definition]))
    return RegisteredComponent(resource=Dashboard("dashboard", args, opts=after))


def overlay(ground: PlatformContext) -> Overlay:
    """A menu of what is installed, and nothing that makes Profiles on its own."""
    links = json.dumps(_links(ground), indent=2)
    return Overlay(
        patches=[
            Patch(kind="CustomResourceDefinition", name=PROFILES),  # it comes first, and by itself
            Patch(kind="ConfigMap", name="dashboard-config", change={"data": {"links": links}}),
            Patch(kind="ConfigMap", name="dashboard-parameters", change={"data": {"REGISTRATION_FLOW": "false"}}),
            *(
                asks(name, containers=[each], cpu="10m", memory=memory)
                for name, each, memory in _list_memory_requests()
            ),
            proxies(),
            *on_system(ground),
        ]
    )


def _list_memory_requests() -> Iterator[tuple[str, str, str]]:
    for deployment, containers in MEMORY.items():
        yield from ((deployment, container, memory) for container, memory in containers.items())


def _links(ground: PlatformContext) -> dict[str, object]:
    return {
        "menuLinks": [*_menu(ground)],
        "externalLinks": [
            {"type": "item", "text": text, "link": f"https://{ground.host(host)}/", "icon": icon, "iframe": False}
            for part, (text, host, icon) in OUTSIDE.items()
            if ground.has(part)
        ],
        "documentationItems": [],
        "quickLinks": [{"text": "Create a new Notebook", "desc": "Kubeflow Notebooks", "link": "/jupyter/new"}],
    }


def _menu(ground: PlatformContext) -> Iterator[Mapping[str, object]]:
    for part, entries in MENU.items():
        if ground.has(part):
            yield from ({"type": "item", "text": text, "link": link, "icon": icon} for text, link, icon in entries)
    if ground.has("pipelines"):
        pages = [(text, text.replace(" ", "").lower()) for text in PIPELINES]
        yield {
            "type": "section",
            "text": "Pipelines",
            "icon": "kubeflow:pipeline-centered",
            "items": [{"type": "item", "text": text, "link": f"/pipeline/#/{page}"} for text, page in pages],
        }
