"""Kubeflow Notebooks: JupyterLab and VS Code in the browser, on volumes that stay, stopped when nobody uses them.

Upstream's culler asks every notebook for Jupyter's kernels, which makes code-server's heart beat, and stops VS Code
after the idle time whether somebody works or not (notebook-controller v1.11.0, culling_controller.go). So it is off,
and ours asks each kind what it understands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_kubernetes as kubernetes
import yaml

from components.agents import cluster_api, notebook_culler
from components.platform.building_blocks import names
from components.platform.building_blocks.context import component
from components.platform.building_blocks.images import resolve_image
from components.platform.building_blocks.manifests import PROXY, Patch, manifests, on_system, proxies, request_resources
from components.platform.building_blocks.script_pod import PodProgram, register_program
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


def _register_culler_reach(*, parent: pulumi.Resource) -> pulumi.Resource:
    """The mesh shows a pod the services of its own and of Kubeflow's namespaces only (istio-install, Sidecar)."""
    return kubernetes.apiextensions.CustomResource(
        names.CULLER,
        api_version="networking.istio.io/v1",
        kind="Sidecar",
        metadata={"name": names.CULLER, "namespace": names.KUBEFLOW},
        spec={"workloadSelector": {"labels": {"app": names.CULLER}}, "egress": [{"hosts": ["*/*"]}]},
        opts=pulumi.ResourceOptions(parent=parent),
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
USERS_GROUP: Final = 100  # of the notebook images, who own the home folder (example-notebook-servers/base)


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
    upstream = manifests(own, changes, after=[_template(parent=own)])
    culler = build_culler(context, image=resolve_image(WEB_IMAGE, context))
    reach = _register_culler_reach(parent=own)
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


def _template(*, parent: pulumi.Resource) -> kubernetes.core.v1.ConfigMap:
    return kubernetes.core.v1.ConfigMap(
        TEMPLATE,
        metadata={"name": f"atoll-{TEMPLATE}", "namespace": names.KUBEFLOW},
        data={TEMPLATE_FILE: yaml.safe_dump(notebook_template(), sort_keys=False)},
        opts=pulumi.ResourceOptions(parent=parent),
    )


def notebook_template() -> dict[str, object]:
    """A notebook as the web app begins one: upstream's fields, under the restricted pod security standard."""
    return {
        "apiVersion": "kubeflow.org/v1beta1",
        "kind": "Notebook",
        "metadata": {
            "name": "{name}",
            "namespace": "{namespace}",
            "labels": {"app": "{name}"},
            "annotations": {
                "notebooks.kubeflow.org/server-type": "",
                "notebooks.kubeflow.org/creator": "{creator}",
            },
        },
        "spec": {
            "template": {
                "spec": {
                    "serviceAccountName": "{serviceAccount}",
                    "priorityClassName": "atoll-interactive",
                    "securityContext": {
                        "runAsNonRoot": True,
                        "fsGroup": USERS_GROUP,
                        "fsGroupChangePolicy": "OnRootMismatch",
                        "seccompProfile": {"type": "RuntimeDefault"},
                    },
                    "containers": [
                        {
                            "name": "{name}",
                            "image": "",
                            "volumeMounts": [],
                            "env": [],
                            "resources": {"requests": {"cpu": "0.1", "memory": "0.1Gi"}},
                            "securityContext": {
                                "allowPrivilegeEscalation": False,
                                "capabilities": {"drop": ["ALL"]},
                            },
                        }
                    ],
                    "volumes": [],
                    "tolerations": [],
                }
            }
        },
    }
