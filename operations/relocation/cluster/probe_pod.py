"""A pod that does nothing and may do nothing, to see whether the target's scheduler places one."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from operations.clouds.kubernetes.kinds import POD
from operations.clouds.kubernetes.objects import mapping, rows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from operations.clouds.kubernetes.objects import Cluster
    from operations.relocation.cluster.recreation import Makes

NAME: Final = "atoll-relocation-smoke"
NAMESPACE: Final = "default"
# The image of every pod's own pause container: a node that runs pods has it, and placing asks for no image at all.
IMAGE: Final = "registry.k8s.io/pause:3.10"
SECONDS: Final = 90.0
EVERY: Final = 1.0


def manifest() -> dict[str, object]:
    """The pod, as "restricted" of the Pod Security Standards asks it to be."""
    container: Mapping[str, object] = {
        "name": "pause",
        "image": IMAGE,
        "resources": {"requests": {"cpu": "1m", "memory": "8Mi"}, "limits": {"cpu": "10m", "memory": "16Mi"}},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
            "runAsNonRoot": True,
            "runAsUser": 65534,
        },
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": NAME, "namespace": NAMESPACE, "labels": {"app.kubernetes.io/managed-by": "atoll"}},
        "spec": {
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            "restartPolicy": "Never",
            "terminationGracePeriodSeconds": 0,
            "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
            "tolerations": [{"operator": "Exists"}],
            "containers": [container],
        },
    }


def placed(cluster: Cluster, makes: Makes, *, sleep: Callable[[float], None] = time.sleep) -> str:
    """The node that it was placed on, or why it was not as "! reason"; it is deleted in the end."""
    makes.create(POD, manifest())  # of a run that was killed, it may be there already
    try:
        for _ in range(int(SECONDS / EVERY)):
            found = cluster.get(POD, namespace=NAMESPACE, name=NAME) or {}
            node = str(mapping(found.get("spec")).get("nodeName") or "")
            if node:
                return node
            sleep(EVERY)
        conditions = rows(
            mapping((cluster.get(POD, namespace=NAMESPACE, name=NAME) or {}).get("status")).get("conditions")
        )
        said = next((str(each.get("message")) for each in conditions if each.get("type") == "PodScheduled"), "")
        return f"! no node took it within {SECONDS:.0f} s: {said or 'the scheduler said nothing'}"
    finally:
        makes.delete(POD, namespace=NAMESPACE, name=NAME)
