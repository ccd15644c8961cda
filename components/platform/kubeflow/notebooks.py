"""Kubeflow Notebooks: JupyterLab and VS Code in the browser, on volumes that stay, stopped when nobody uses them.

Upstream's culler asks every notebook for Jupyter's kernels, which makes code-server's heart beat, and stops VS Code
after the idle time whether somebody works or not (notebook-controller v1.11.0, culling_controller.go). So it is off,
and ours asks each kind what it understands.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import yaml

from components.agents import cluster_api, notebook_culler
from components.platform.building_blocks import names
from components.platform.building_blocks.context import component
from components.platform.building_blocks.images import resolve_image
from components.platform.building_blocks.manifests import PROXY, Patch, manifests, on_system, proxies, request_resources
from components.platform.building_blocks.objects import register_config_map, register_object
from components.platform.building_blocks.script_pod import PodProgram, register_program
from components.platform.building_blocks.sign_in import ROUTES
from components.platform.kubeflow.notebook_spawner import offer, spawner

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.platform.building_blocks.context import PlatformContext, PlatformResource


SECONDS_BETWEEN: Final = 60


def build_culler(context: PlatformContext, *, image: str) -> PodProgram:
    """It may see notebooks and annotate them; nothing else, of no other kind."""
    return PodProgram(
        name=names.CULLER,
        namespace=names.KUBEFLOW,
        modules=[notebook_culler, cluster_api],
        folder="/culler",
        image=image,
        rules={"": [{"api_groups": ["kubeflow.org"], "resources": ["notebooks"], "verbs": ["list", "patch"]}]},
        env={
            "IDLE_MINUTES": str(context.platform.idle_minutes),
            "SECONDS_BETWEEN": str(SECONDS_BETWEEN),
        },
        container={"name": "culler"},
        labels={"sidecar.istio.io/inject": "true"},
        annotations=PROXY,
    )


TEMPLATE: Final = "notebook-template"
TEMPLATE_FILE: Final = "notebook_template.yaml"
TEMPLATE_PATH: Final = f"/src/apps/common/yaml/{TEMPLATE_FILE}"  # of jupyter-web-app v1.11.0
WEB_IMAGE: Final = "ghcr.io/kubeflow/notebooks/jupyter-web-app:v1.11.0"  # has Python 3.12, and is there already
# Deployment to its container and the memory it asks for, where the release asks nothing (idle: 806 MiB, upstream).
MEMORY: Final[Mapping[str, tuple[str, str]]] = {
    "jupyter-web-app-deployment": ("jupyter-web-app", "128Mi"),
    "notebook-controller-deployment": ("manager", "64Mi"),
    "tensorboards-web-app-deployment": ("tensorboards-web-app", "128Mi"),
    "volumes-web-app-deployment": ("volumes-web-app", "128Mi"),
}


@component(
    "notebooks",
    "atoll:platform:Notebooks",
    inputs=lambda context, charges: {
        **context.facts("notebooks", charges),
        "idleMinutes": context.platform.idle_minutes,
    },
)
def build(own: PlatformResource) -> None:
    """Controllers and web pages of notebooks, volumes and TensorBoards, and what stops idle notebooks."""
    context = own.context
    changes = patches(context, ticked=list_preselected_defaults(context))
    pages = {TEMPLATE_FILE: read_notebook_template()}
    template = register_config_map(f"atoll-{TEMPLATE}", pages, namespace=names.KUBEFLOW, parent=own, logical=TEMPLATE)
    upstream = manifests(own, changes, after=[template])
    culler = build_culler(context, image=resolve_image(WEB_IMAGE, context))
    # The mesh shows a pod the services of its own and of Kubeflow's namespaces only (istio-install, Sidecar).
    seen = {"workloadSelector": {"labels": {"app": names.CULLER}}, "egress": [{"hosts": ["*/*"]}]}
    reach = register_object(ROUTES, "Sidecar", names.CULLER, seen, namespace=names.KUBEFLOW, parent=own)
    register_program(culler, on=context.on_system, parent=own, after=[reach, upstream])


def patches(context: PlatformContext, *, ticked: Sequence[str]) -> list[Patch]:
    document = yaml.safe_dump(spawner(offer(context, ticked=ticked)), sort_keys=False)
    pages = {"spawner_ui_config.yaml": document}
    return [
        Patch(kind="ConfigMap", name="jupyter-web-app-config", change={"data": pages}),
        Patch(kind="Deployment", name="jupyter-web-app-deployment", change=_build_template_mount()),
        Patch(kind="ConfigMap", name="notebook-controller-config", change={"data": {"ENABLE_CULLING": "false"}}),
        *(request_resources(name, each, cpu="10m", memory=memory) for name, (each, memory) in MEMORY.items()),
        proxies(),
        *on_system(context),
    ]


def list_preselected_defaults(context: PlatformContext) -> Sequence[str]:
    """PodDefaults that a notebook takes unless somebody unticks them; the part "teams" makes them."""
    tracker = context.spec.tracker
    tracked = tracker != names.MLFLOW or context.has("mlflow")
    return (names.S3_DEFAULT, *((tracker,) if tracked else ()))


def _build_template_mount() -> dict[str, object]:
    """The web app with our template of a notebook instead of its own."""
    mount = {"name": TEMPLATE, "mountPath": TEMPLATE_PATH, "subPath": TEMPLATE_FILE, "readOnly": True}
    pod = {
        "containers": [{"name": "jupyter-web-app", "volumeMounts": [mount]}],
        "volumes": [{"name": TEMPLATE, "configMap": {"name": f"atoll-{TEMPLATE}"}}],
    }
    return {"spec": {"template": {"spec": pod}}}


def read_notebook_template() -> str:
    """A notebook as the web app begins one: upstream's fields, under the restricted pod security standard.

    `fsGroup` is the group of the notebook images, who own the home folder (example-notebook-servers/base).
    """
    return Path(__file__).with_name(TEMPLATE_FILE).read_text(encoding="utf-8")
