"""node-problem-detector: kernel messages become conditions of the node, where no provider repairs nodes.

Its pod is privileged, because no other container may open /dev/kmsg, not even read-only.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_kubernetes as kubernetes

from components.platform.building_blocks import names
from components.platform.building_blocks.context import component
from components.platform.building_blocks.images import resolve_image
from components.platform.building_blocks.objects import register_config_map
from components.platform.building_blocks.script_pod import register_rights
from planning.incidents.findings import monitor

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pulumi_kubernetes.core.v1 import ContainerArgsDict, PodSpecArgsDict
    from pulumi_kubernetes.meta.v1 import ObjectMetaArgsDict
    from pulumi_kubernetes.rbac.v1 import PolicyRuleArgsDict

    from components.platform.building_blocks.context import PlatformResource


NAME: Final = "node-problem-detector"
LABELS: Final = {"app": NAME}
# Tag and digest as promoted: github.com/kubernetes/k8s.io/pull/9707 of 2026-07-11, the newest stable release.
IMAGE: Final = (
    "registry.k8s.io/node-problem-detector/node-problem-detector:v1.36.0"
    "@sha256:b4db5a168c5f6192c3fb3d650920d192d83776598fcdfcc092d16ca8dc9213ff"
)
KERNEL: Final = "/dev/kmsg"
FOLDER: Final = "/rules"
FILE: Final = "kernel.json"
REQUESTS: Final = {"cpu": "10m", "memory": "80Mi"}  # deployment/node-problem-detector.yaml of the release
LIMITS: Final = {"memory": "160Mi"}
EVENTS: Final = "default"  # where events of nodes lie
# To write conditions of nodes, which Kubernetes cannot limit to its own node, and events about them.
RIGHTS: Final[Mapping[str, Sequence[PolicyRuleArgsDict]]] = {
    "": (
        {"api_groups": [""], "resources": ["nodes"], "verbs": ["get"]},
        {"api_groups": [""], "resources": ["nodes/status"], "verbs": ["patch"]},
    ),
    EVENTS: ({"api_groups": [""], "resources": ["events"], "verbs": ["create", "patch", "update"]},),
}


@component(
    "node_problem_detector",
    "atoll:platform:NodeProblemDetector",
    inputs=lambda context, _: {"image": resolve_image(IMAGE, context)},
)
def build(own: PlatformResource) -> None:
    """Service account, permissions, rules, and a pod on every node, whatever its taints."""
    metadata: ObjectMetaArgsDict = {"name": NAME, "namespace": names.NODE_AGENTS}
    account = kubernetes.core.v1.ServiceAccount(NAME, metadata=metadata, opts=pulumi.ResourceOptions(parent=own))
    rules = register_config_map(NAME, files(), namespace=names.NODE_AGENTS, parent=own)
    rights = register_rights(NAME, RIGHTS, namespace=names.NODE_AGENTS, parent=own)
    # It reads its rules once: other rules must start the pods anew.
    digest = sha256(files()[FILE].encode()).hexdigest()[:16]
    kubernetes.apps.v1.DaemonSet(
        NAME,
        metadata={**metadata, "labels": LABELS},
        spec={
            "selector": {"match_labels": LABELS},
            "update_strategy": {"type": "RollingUpdate", "rolling_update": {"max_unavailable": "10%"}},
            "template": {
                "metadata": {"labels": LABELS, "annotations": {"atoll/rules": digest}},
                "spec": _pod(resolve_image(IMAGE, own.context)),
            },
        },
        opts=pulumi.ResourceOptions(parent=own, depends_on=[account, rules, *rights]),
    )


def files() -> Mapping[str, str]:
    """Its configuration: one log monitor."""
    return {FILE: json.dumps(monitor(), indent=1) + "\n"}


def _pod(image: str) -> PodSpecArgsDict:
    return {
        "service_account_name": NAME,
        "enable_service_links": False,
        "node_selector": {"kubernetes.io/os": "linux"},
        "tolerations": [{"operator": "Exists"}],  # of its device, of the burn-in, of a cordon, of a failure
        "containers": [_container(image)],
        "volumes": [
            {"name": "kmsg", "host_path": {"path": KERNEL, "type": "CharDevice"}},
            {"name": "rules", "config_map": {"name": NAME}},
        ],
    }


def _container(image: str) -> ContainerArgsDict:
    return {
        "name": NAME,
        "image": image,
        "command": [
            "/node-problem-detector",
            "--logtostderr",
            f"--config.system-log-monitor={FOLDER}/{FILE}",
            "--port=0",  # its health check always succeeds, and its metrics repeat the node's conditions
            "--prometheus-port=0",
        ],
        "env": [{"name": "NODE_NAME", "value_from": {"field_ref": {"field_path": "spec.nodeName"}}}],
        "resources": {"requests": REQUESTS, "limits": LIMITS},
        "security_context": {"privileged": True, "read_only_root_filesystem": True},
        "volume_mounts": [
            {"name": "kmsg", "mount_path": KERNEL, "read_only": True},
            {"name": "rules", "mount_path": FOLDER, "read_only": True},
        ],
    }
