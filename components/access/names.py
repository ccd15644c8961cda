"""Names inside the cluster that several rooms must agree on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from planning.spec import ClusterSpec

SYSTEM_NAMESPACE: Final = "atoll-system"
SERVICE_ACCOUNT: Final = "workload"
QUEUED: Final = "atoll/queued"  # label of namespaces whose pods wait for a queue of Kueue


def namespace(workload: str) -> str:
    """Namespace of a workload; the prefix keeps a workload called "monitoring" apart from the platform's own."""
    return f"work-{workload}"


def workloads(spec: ClusterSpec) -> tuple[str, ...]:
    """Workloads that have a pool, in the order of the pools."""
    return tuple(dict.fromkeys(pool.workload for pool in spec.pools if pool.workload))
