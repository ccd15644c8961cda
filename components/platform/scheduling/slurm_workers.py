"""Workers of Slurm: one on each node of its share, holding the node's accelerators, in a partition by pool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.context.accelerators import NVIDIA, device, taints

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.platform.building_blocks.context import Ground
    from planning.platform.slurm import Share
    from planning.spec.cluster import Pool

# Of a node's cores and memory a worker has this part: the rest is for the node's own agents and for the platform's.
WORKER_PERCENT: Final = 80
SHARED_MEMORY: Final = "shared-memory"  # what processes of one job exchange tensors through; 64 MiB by default


def workers(shares: Sequence[Share], ground: Ground) -> dict[str, object]:
    """Values of the chart: node sets, and how Slurm finds accelerators."""
    if not shares:
        return {}
    first = shares[0].pool.name
    found = {share.pool.name: _set(share, ground, default=share.pool.name == first) for share in shares}
    nvidia = any(device(share.pool.accelerator) == NVIDIA for share in shares)
    return {"nodesets": found, **({"configFiles": {"gres.conf": "AutoDetect=nvidia\n"}} if nvidia else {})}


def _set(share: Share, ground: Ground, *, default: bool) -> dict[str, object]:
    pool = share.pool
    own = {"atoll/pool": pool.name} if ground.labelled else {}
    return {
        "replicas": share.standing,
        "slurmd": {
            "resources": {"limits": _limits(pool, ground)},
            "volumeMounts": [{"name": SHARED_MEMORY, "mountPath": "/dev/shm"}],  # noqa: S108 - path in a container
        },
        **({"extraConfMap": {"Gres": [f"gpu:{pool.accelerators}"]}} if device(pool.accelerator) == NVIDIA else {}),
        "partition": {
            "enabled": True,
            "configMap": {"State": "UP", "MaxTime": "UNLIMITED", **({"Default": "YES"} if default else {})},
        },
        "podSpec": {
            "nodeSelector": {"kubernetes.io/os": "linux", **own},
            "tolerations": [
                {"key": taint.key, "operator": "Exists", "effect": "NoSchedule"}
                for taint in taints(pool, burn_in=False)
            ],
            "volumes": [{"name": SHARED_MEMORY, "emptyDir": {"medium": "Memory"}}],
        },
    }


def _limits(pool: Pool, ground: Ground) -> dict[str, object]:
    """What Slurm divides among jobs: the operator reads it off the limits of the worker's pod."""
    limits: dict[str, object] = {}
    if pool.vcpus:
        limits["cpu"] = max(1, pool.vcpus * WORKER_PERCENT // 100)
    if pool.memory_gib:
        limits["memory"] = f"{int(pool.memory_gib * WORKER_PERCENT / 100)}Gi"
    name = device(pool.accelerator)
    if name:
        limits[name] = pool.accelerators
    fabric = ground.spec.profile.rdma_resource
    if fabric and pool.fabric:
        limits[fabric] = pool.efa_interfaces or 1
    return limits
