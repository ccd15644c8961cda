"""Kubeflow Notebooks: JupyterLab and VS Code in the browser, on volumes that stay, stopped when nobody uses them.

Upstream's culler asks every notebook for Jupyter's kernels, which makes code-server's heart beat, and stops VS Code
after the idle time whether somebody works or not (notebook-controller v1.11.0, culling_controller.go). So it is off,
and ours asks each kind what it understands.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_kubernetes as kubernetes
import yaml

from components.agents import notebook_culler
from components.context.pod_code import read_module
from components.platform.building_blocks import names
from components.platform.building_blocks.context import RegisteredComponent
from components.platform.building_blocks.images import resolve_image
from components.platform.building_blocks.manifests import (
    PROXY,
    Overlay,
    Patch,
    asks,
    manifests,
    on_system,
    paths_of,
    proxies,
)
from components.platform.building_blocks.script_pod import script_pod
from components.platform.kubeflow.notebook_spawner import offer, spawner

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pulumi_kubernetes.core.v1 import PodSpecArgsDict

    from components.platform.building_blocks.context import Charges, PlatformContext


NAME: Final = names.CULLER
LABELS: Final = {"app": NAME}
FILE: Final = "culler.py"
FOLDER: Final = "/culler"
SECONDS_BETWEEN: Final = 60
ASKS_FOR: Final = {"cpu": "10m", "memory": "64Mi"}


def culling(ground: PlatformContext, *, image: str, parent: pulumi.Resource, after: pulumi.Resource) -> None:
    """The program, its account, its rights and its pod.

    Args:
        image: any with Python 3.12.
        after: what brings the kind Notebook.
    """
    own = pulumi.ResourceOptions(parent=parent)
    script = read_module(notebook_culler)
    account = kubernetes.core.v1.ServiceAccount(NAME, metadata={"name": NAME, "namespace": names.KUBEFLOW}, opts=own)
    rights = _rights(parent=parent)
    reach = kubernetes.apiextensions.CustomResource(
        NAME,
        api_version="networking.istio.io/v1",
        kind="Sidecar",
        metadata={"name": NAME, "namespace": names.KUBEFLOW},
        # The mesh shows a pod the services of its own and of Kubeflow's namespaces only (istio-install, Sidecar).
        spec={"workloadSelector": {"labels": LABELS}, "egress": [{"hosts": ["*/*"]}]},
        opts=own,
    )
    code = kubernetes.core.v1.ConfigMap(
        NAME, metadata={"name": NAME, "namespace": names.KUBEFLOW}, data={FILE: script}, opts=own
    )
    kubernetes.apps.v1.Deployment(
        NAME,
        metadata={"name": NAME, "namespace": names.KUBEFLOW, "labels": LABELS},
        spec={
            "replicas": 1,
            "strategy": {"type": "Recreate"},
            "selector": {"match_labels": LABELS},
            "template": {
                "metadata": {
                    "labels": {**LABELS, "sidecar.istio.io/inject": "true"},
                    "annotations": {**PROXY, "atoll/script": sha256(script.encode()).hexdigest()[:16]},
                },
                "spec": _pod(ground, image=image),
            },
        },
        opts=pulumi.ResourceOptions(parent=parent, depends_on=[account, code, rights, reach, after]),
    )


def _pod(ground: PlatformContext, *, image: str) -> PodSpecArgsDict:
    return script_pod(
        {
            "name": "culler",
            "image": image,
            "command": ["python3", f"{FOLDER}/{FILE}"],
            "env": [
                {"name": "IDLE_MINUTES", "value": str(ground.platform.idle_minutes)},
                {"name": "SECONDS_BETWEEN", "value": str(SECONDS_BETWEEN)},
            ],
            "resources": {"requests": ASKS_FOR, "limits": {"memory": "128Mi"}},
        },
        account=NAME,
        on=ground.on_system,
        code={"name": NAME},
        folder=FOLDER,
    )


def _rights(*, parent: pulumi.Resource) -> kubernetes.rbac.v1.ClusterRoleBinding:
    """To see notebooks and to annotate them; nothing else, of no other kind."""
    role = kubernetes.rbac.v1.ClusterRole(
        NAME,
        metadata={"name": NAME},
        rules=[{"api_groups": ["kubeflow.org"], "resources": ["notebooks"], "verbs": ["list", "patch"]}],
        opts=pulumi.ResourceOptions(parent=parent),
    )
    return kubernetes.rbac.v1.ClusterRoleBinding(
        NAME,
        metadata={"name": NAME},
        role_ref={"api_group": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role.metadata.name},
        subjects=[{"kind": "ServiceAccount", "name": NAME, "namespace": names.KUBEFLOW}],
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


@dataclass(frozen=True, kw_only=True)
class KubeflowNotebooksArgs:
    """What is offered to whom."""

    ground: PlatformContext
    charges: Charges


@final
class KubeflowNotebooks(pulumi.ComponentResource):
    """Controllers and web pages of notebooks, volumes and TensorBoards, and what stops idle notebooks."""

    def __init__(self, name: str, args: KubeflowNotebooksArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        ground = args.ground
        part = ground.part("notebooks")
        facts = {**ground.facts("notebooks", args.charges), "idleMinutes": ground.platform.idle_minutes}
        super().__init__("atoll:platform:Notebooks", name, facts, opts)
        template = _template(parent=self)
        upstream = manifests(
            "notebooks",
            part,
            paths=paths_of(part),
            ground=ground,
            overlay=overlay(ground, ticked=list_preselected_defaults(ground)),
            opts=pulumi.ResourceOptions(parent=self, depends_on=[template]),
        )
        culling(ground, image=resolve_image(WEB_IMAGE, ground), parent=self, after=upstream)
        self.register_outputs({})


def build(ground: PlatformContext, charges: Charges, options: pulumi.ResourceOptions) -> RegisteredComponent:
    return RegisteredComponent(
        resource=KubeflowNotebooks("notebooks", KubeflowNotebooksArgs(ground=ground, charges=charges), opts=options)
    )


def list_preselected_defaults(ground: PlatformContext) -> Sequence[str]:
    """PodDefaults that a notebook takes unless somebody unticks them; the part "teams" makes them."""
    tracker = ground.spec.tracker
    tracked = tracker != names.MLFLOW or ground.has("mlflow")
    return (names.S3_DEFAULT, *((tracker,) if tracked else ()))


def overlay(ground: PlatformContext, *, ticked: Sequence[str]) -> Overlay:
    document = yaml.safe_dump(spawner(offer(ground, ticked=ticked)), sort_keys=False)
    return Overlay(
        patches=[
            Patch(
                kind="ConfigMap", name="jupyter-web-app-config", change={"data": {"spawner_ui_config.yaml": document}}
            ),
            Patch(kind="Deployment", name="jupyter-web-app-deployment", change=_build_template_mount()),
            Patch(kind="ConfigMap", name="notebook-controller-config", change={"data": {"ENABLE_CULLING": "false"}}),
            *(asks(name, containers=[each], cpu="10m", memory=memory) for name, (each, memory) in MEMORY.items()),
            proxies(),
            *on_system(ground),
        ]
    )


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
