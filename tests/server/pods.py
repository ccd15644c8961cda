"""Pods as a user of a workload's namespace writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fake_nodes import OWNER
from kube_client import conditions

from components.context.names import SERVICE_ACCOUNT

if TYPE_CHECKING:
    import requests
    from kube_client import KubeClient, Manifest

GPU = "nvidia.com/gpu"
OURS = "atoll/test"  # label of the pods that a test made, apart from those of the program's own deployments
SAFE = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "runAsUser": 1000,
    "seccompProfile": {"type": "RuntimeDefault"},
}


def pod(
    name: str,
    namespace: str,
    *,
    gpus: int = 0,
    security: dict[str, Any] | None = None,
    tolerates: str = "",
    on: dict[str, str] | None = None,
) -> Manifest:
    """A pod of one container, within the restricted standard unless `security` says otherwise.

    Args:
        tolerates: key of a taint that it does not mind.
        on: labels of the nodes it wants.
    """
    limits = {GPU: str(gpus)} if gpus else {}
    container = {"name": "main", "image": "registry.example/none:1", "resources": {"limits": limits}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "labels": {OURS: name}},
        "spec": {
            "serviceAccountName": SERVICE_ACCOUNT,
            "tolerations": [{"key": tolerates, "operator": "Exists", "effect": "NoSchedule"}] if tolerates else [],
            "nodeSelector": on or {},
            "containers": [{**container, "securityContext": SAFE if security is None else security}],
        },
    }


def gpu_pod(name: str, namespace: str, *, pool: str, gpus: int, owner: str = "example") -> Manifest:
    """A pod for the accelerators of a pool, on the nodes that these tests made: pools of two files may share a name."""
    return pod(name, namespace, gpus=gpus, tolerates=GPU, on={"atoll/pool": pool, OWNER: owner})


def run(kube: KubeClient, manifest: Manifest) -> dict[str, Any]:
    """Create a pod, and the pod once it runs."""
    answer = kube.apply(manifest)
    assert answer.ok, answer.text
    return kube.wait(manifest, is_running).json()


def left_waiting(kube: KubeClient, manifest: Manifest) -> str:
    """Create a pod that no node takes, and the scheduler's reason."""
    answer = kube.apply(manifest)
    assert answer.ok, answer.text
    return refusal(kube.wait(manifest, lambda answer: bool(refusal(answer))))


def refusal(answer: requests.Response) -> str:
    """Why the scheduler finds no node for a pod; "" where it has not said so."""
    said = [each["message"] for each in conditions(answer) if each.get("reason") == "Unschedulable"]
    return said[0] if said else ""


def is_running(answer: requests.Response) -> bool:
    """Whether a pod runs."""
    return answer.ok and answer.json()["status"].get("phase") == "Running"


def role_of_node(kube: KubeClient, landed: Manifest) -> str:
    """The role of the node that a pod is on, whichever stack of these tests brought the node."""
    node: Manifest = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": landed["spec"]["nodeName"]}}
    return str(kube.get(node).json()["metadata"]["labels"]["atoll/role"])
