"""Kubeflow's base and dashboard: issuer, roles, the gateway with TLS; dashboard, Profiles and PodDefaults.

The definition of Profiles is kept when the stack is destroyed.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pulumi

from components.platform.building_blocks import names
from components.platform.building_blocks.context import component
from components.platform.building_blocks.manifests import (
    DEFINITION,
    Patch,
    build_retention_transform,
    manifests,
    on_system,
    proxies,
    request_resources,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from components.platform.building_blocks.context import (
        Charges,
        PlatformContext,
        PlatformResource,
        RegisteredComponent,
    )

# Everybody is sent on to HTTPS; one certificate is shown, whatever name is asked for (Istio's Gateway, `tls`).
SERVERS: Final = (
    {"hosts": ["*"], "port": {"name": "http", "number": 80, "protocol": "HTTP"}, "tls": {"httpsRedirect": True}},
    {
        "hosts": ["*"],
        "port": {"name": "https", "number": 443, "protocol": "HTTPS"},
        "tls": {"mode": "SIMPLE", "credentialName": names.GATEWAY_TLS, "minProtocolVersion": "TLSV1_2"},
    },
)


@component("kubeflow_base", "atoll:platform:KubeflowBase")
def build_kubeflow_base(own: PlatformResource) -> None:
    """Kubeflow's issuer, cluster roles and gateway."""
    manifests(own, gateway_patches())


def gateway_patches() -> tuple[Patch, ...]:
    gateway = names.GATEWAY.partition("/")[2]
    return (Patch(kind="Gateway", name=gateway, change={"spec": {"servers": list(SERVERS)}}),)


PROFILES: Final = "profiles.kubeflow.org"  # its deletion deletes every Profile with its namespace
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
# Deployments, their containers and what these need, for which the release asks nothing (idle: 302 MiB, upstream).
MEMORY: Final = (
    ("dashboard", "dashboard", "96Mi"),
    ("poddefaults-webhook-deployment", "poddefaults-webhook", "64Mi"),
    ("profiles-deployment", "manager", "64Mi"),
    ("profiles-deployment", "access-management", "64Mi"),
)
PIPELINES: Final = ("Pipelines", "Experiments", "Runs", "Recurring Runs", "Artifacts", "Executions")
# Pages of other parts, below the cluster's domain: text, first label of the name, icon.
OUTSIDE: Final[Mapping[str, tuple[str, str, str]]] = {
    "mlflow": ("MLflow", names.MLFLOW_HOST, "assignment"),
    "prometheus": ("Grafana", names.GRAFANA_HOST, "assessment"),
    "airflow": ("Airflow", names.AIRFLOW_HOST, "assignment"),
    "argo_cd": ("Argo CD", names.ARGO_CD_HOST, "assignment"),
}


@component("dashboard", "atoll:platform:Dashboard")
def register_dashboard(own: PlatformResource) -> None:
    """The dashboard, the controller of Profiles and the webhook of PodDefaults."""
    manifests(own, dashboard_patches(own.context))


@component(
    "dashboard",
    "atoll:platform:ProfileDefinition",
    name="profile-definition",
    inputs=lambda context, _: {"version": context.part("dashboard").version},
)
def register_profile_definition(own: PlatformResource) -> None:
    """The definition of Profiles, without dependencies."""
    # Protected in an existing cluster only: in one of the stack's own it would prevent `pulumi destroy`.
    protect = own.context.spec.existing is not None
    # The definition alone: protection would keep what it depends on as well.
    kept = build_retention_transform(DEFINITION, ending=PROFILES, protect=protect)
    manifests(own, paths=[DEFINITION_PATH], transforms=[kept])


def build_dashboard(context: PlatformContext, charges: Charges, options: pulumi.ResourceOptions) -> RegisteredComponent:
    free = pulumi.ResourceOptions(parent=options.parent, provider=options.provider)
    definition = register_profile_definition(context, charges, free).resource
    after = pulumi.ResourceOptions(depends_on=[definition])
    return register_dashboard(context, charges, pulumi.ResourceOptions.merge(options, after))


def dashboard_patches(context: PlatformContext) -> list[Patch]:
    """A menu of what is installed, and no self-service Profiles."""
    links = json.dumps(_links(context), indent=2)
    return [
        Patch(kind="CustomResourceDefinition", name=PROFILES),  # registered on its own, before
        Patch(kind="ConfigMap", name="dashboard-config", change={"data": {"links": links}}),
        Patch(kind="ConfigMap", name="dashboard-parameters", change={"data": {"REGISTRATION_FLOW": "false"}}),
        *(request_resources(name, container, cpu="10m", memory=memory) for name, container, memory in MEMORY),
        proxies(),
        *on_system(context),
    ]


def _links(context: PlatformContext) -> dict[str, object]:
    return {
        "menuLinks": [*_menu(context)],
        "externalLinks": [
            {
                "type": "item",
                "text": text,
                "link": f"https://{context.build_host(host)}/",
                "icon": icon,
                "iframe": False,
            }
            for part, (text, host, icon) in OUTSIDE.items()
            if context.has(part)
        ],
        "documentationItems": [],
        "quickLinks": [{"text": "Create a new Notebook", "desc": "Kubeflow Notebooks", "link": "/jupyter/new"}],
    }


def _menu(context: PlatformContext) -> Iterator[Mapping[str, object]]:
    for part, entries in MENU.items():
        if context.has(part):
            yield from ({"type": "item", "text": text, "link": link, "icon": icon} for text, link, icon in entries)
    if context.has("pipelines"):
        pages = [(text, text.replace(" ", "").lower()) for text in PIPELINES]
        yield {
            "type": "section",
            "text": "Pipelines",
            "icon": "kubeflow:pipeline-centered",
            "items": [{"type": "item", "text": text, "link": f"/pipeline/#/{page}"} for text, page in pages],
        }
