"""Opens the top of a volume to those who are not root, as every pod of a workload is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_kubernetes as kubernetes

from components.context.names import SYSTEM_NAMESPACE
from components.tenancy.volume_claims import claim

if TYPE_CHECKING:
    from pulumi_kubernetes.core.v1 import PodSpecArgsDict

    from components.context.placement import Volume

MODE: Final = "1777"  # everyone may make files, and nobody remove those of others: the mode of /tmp
TOP: Final = "/volume"


def opening(volume: Volume, *, home: kubernetes.core.v1.Namespace, image: str) -> None:
    """Claims the system's volume and has its mode set once.

    No update waits for it: the pod starts when the first node can mount the volume.
    """
    mine = claim(volume, SYSTEM_NAMESPACE, home=home)
    kubernetes.batch.v1.Job(
        f"open-{volume.claim}",
        metadata={
            "name": f"open-{volume.claim}",
            "namespace": home.metadata.name,
            "annotations": {"pulumi.com/skipAwait": "true"},
        },
        spec={"template": {"spec": _pod(volume, image)}},
        opts=pulumi.ResourceOptions(parent=home, depends_on=[mine]),
    )


def _pod(volume: Volume, image: str) -> PodSpecArgsDict:
    """Root owns the top, so that it needs no capability to change the mode."""
    return {
        "restart_policy": "OnFailure",
        "automount_service_account_token": False,
        "enable_service_links": False,
        "node_selector": {"kubernetes.io/os": "linux", "atoll/role": "system"},
        "security_context": {"seccomp_profile": {"type": "RuntimeDefault"}},
        "containers": [
            {
                "name": "open",
                "image": image,
                "command": ["chmod", MODE, TOP],
                "security_context": {
                    "run_as_user": 0,
                    "allow_privilege_escalation": False,
                    "read_only_root_filesystem": True,
                    "capabilities": {"drop": ["ALL"]},
                },
                "resources": {"requests": {"cpu": "10m", "memory": "16Mi"}, "limits": {"memory": "64Mi"}},
                "volume_mounts": [{"name": "volume", "mount_path": TOP}],
            }
        ],
        "volumes": [{"name": "volume", "persistent_volume_claim": {"claim_name": volume.claim}}],
    }
