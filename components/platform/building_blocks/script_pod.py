"""The pod of a small program of ours: it may nothing on its node, and only reads its code, from a ConfigMap."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pulumi_kubernetes.core.v1 import ConfigMapVolumeSourceArgsDict, ContainerArgsDict, PodSpecArgsDict

NOBODY: Final = 65532
CODE: Final = "code"


def script_pod(
    container: ContainerArgsDict,
    *,
    account: str,
    on: Mapping[str, str],
    code: ConfigMapVolumeSourceArgsDict,
    folder: str,
) -> PodSpecArgsDict:
    """The pod.

    Args:
        container: its image, command and resources; who it is and what it mounts is added.
        account: service account that it calls the API server with.
        on: labels of the nodes that it may run on.
        code: ConfigMap of its files, mounted at the folder.
    """
    return {
        "service_account_name": account,
        "node_selector": dict(on),
        "security_context": {
            "run_as_non_root": True,
            "run_as_user": NOBODY,
            "run_as_group": NOBODY,
            "seccomp_profile": {"type": "RuntimeDefault"},
        },
        "containers": [
            {
                **container,
                "security_context": {
                    "allow_privilege_escalation": False,
                    "read_only_root_filesystem": True,
                    "capabilities": {"drop": ["ALL"]},
                },
                "volume_mounts": [{"name": CODE, "mount_path": folder, "read_only": True}],
            }
        ],
        "volumes": [{"name": CODE, "config_map": code}],
    }
