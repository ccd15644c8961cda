"""What stops idle notebooks of every IDE: a small program of ours, because upstream's knows only Jupyter.

Upstream's culler asks every notebook for Jupyter's kernels, which makes code-server's heart beat, and stops VS Code
after the idle time whether somebody works or not (notebook-controller v1.11.0, culling_controller.go). So it is off,
and ours asks each kind what it understands.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_kubernetes as kubernetes

from components.agents import notebook_culler
from components.context.pod_code import read_module
from components.platform.building_blocks import names
from components.platform.building_blocks.manifests import PROXY
from components.platform.building_blocks.script_pod import script_pod

if TYPE_CHECKING:
    from pulumi_kubernetes.core.v1 import PodSpecArgsDict

    from components.platform.building_blocks.context import Ground

NAME: Final = names.CULLER
LABELS: Final = {"app": NAME}
FILE: Final = "culler.py"
FOLDER: Final = "/culler"
SECONDS_BETWEEN: Final = 60
ASKS_FOR: Final = {"cpu": "10m", "memory": "64Mi"}


def culling(ground: Ground, *, image: str, parent: pulumi.Resource, after: pulumi.Resource) -> None:
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


def _pod(ground: Ground, *, image: str) -> PodSpecArgsDict:
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
