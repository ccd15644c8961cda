"""How near nodes are to each other, in the labels that providers give them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planning.platform.queues import Line
    from planning.spec.cluster import ClusterSpec

NAME: Final = "fabric"
HOST: Final = "kubernetes.io/hostname"
JOINED: Final = frozenset({"efa", "infiniband", "roce", "gpudirect"})
# From far to near, by target. EKS: docs.aws.amazon.com/eks/latest/userguide/ml-workload-topology.html; GKE: the
# topology of docs.cloud.google.com/ai-hypercomputer/docs/nccl/test-gke-custom-a3-mega-high; CKS: docs.coreweave.com
# /products/networking/hpc-interconnect/infiniband-roce-labels; all read 2026-11-21.
LEVELS: Final[Mapping[str, tuple[str, ...]]] = {
    "aws": (
        "topology.k8s.aws/network-node-layer-1",
        "topology.k8s.aws/network-node-layer-2",
        "topology.k8s.aws/network-node-layer-3",
        HOST,
    ),
    "gcp": (
        "cloud.google.com/gce-topology-block",
        "cloud.google.com/gce-topology-subblock",
        "cloud.google.com/gce-topology-host",
        HOST,
    ),
    "coreweave": ("backend.coreweave.cloud/fabric", "backend.coreweave.cloud/leafgroup", HOST),
}


def levels(spec: ClusterSpec) -> tuple[str, ...]:
    """Labels of the nodes that tell how near they are; empty where none are known."""
    return LEVELS.get(spec.placement.target, ())


def near(line: Line, spec: ClusterSpec) -> bool:
    """Whether the jobs of a workload are placed by the topology.

    Kueue counts only nodes that are there: pools that a scaler fills would never get a job, so all must be kept.
    """
    pools = [flavor.pool for flavor in line.flavors]
    kept = all(pool.fabric in JOINED and pool.min_nodes >= pool.working for pool in pools)
    return bool(levels(spec)) and kept and any(pool.working > 1 for pool in pools)
