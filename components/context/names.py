"""Names inside the cluster that several packages share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from planning.spec.cluster import ClusterSpec

SYSTEM_NAMESPACE: Final = "atoll-system"
SERVICE_ACCOUNT: Final = "workload"
WORKLOAD_ROLES: Final = ("engineer", "viewer")  # each has a kubeconfig of its own
QUEUED: Final = "atoll/queued"  # label of namespaces whose pods are queued by Kueue
WORKLOAD_PREFIX: Final = "work-"  # of namespaces of workloads
BURN_IN_NAMESPACE: Final = "burn-in"
BURN_IN_LEDGER: Final = "burn-in-ledger"  # ConfigMap with the state of each tested node

# Addresses that answer on the node itself, the same in every cluster.
NAME_CACHE: Final = "169.254.20.10/32"  # NodeLocal DNSCache (kubernetes.io/docs/tasks/administer-cluster/nodelocaldns)
METADATA_ADDRESS: Final = "169.254.169.254/32"  # instance metadata of every large cloud: the node's own identity
POD_IDENTITY_ADDRESS: Final = "169.254.170.23/32"  # EKS Pod Identity agent; unused on other clouds


def namespace(workload: str) -> str:
    """Namespace of a workload."""
    # The prefix keeps a workload called "monitoring" apart from the platform's own.
    return f"{WORKLOAD_PREFIX}{workload}"


def workloads(spec: ClusterSpec) -> tuple[str, ...]:
    """Workloads that have a pool, in the order of the pools."""
    return tuple(dict.fromkeys(pool.workload for pool in spec.pools if pool.workload))
