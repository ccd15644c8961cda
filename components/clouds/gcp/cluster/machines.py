"""GKE's names of accelerators, disks of machines, and the GPU networks between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planning.spec.cluster import Pool

# Accelerator names: Cluster Toolkit at 10470803 (June 2026), pkg/config/machine_mappings.json; that of A2 Ultra: GKE
# docs, Using gVNIC. A3 Mega has one of its own.
ACCELERATORS: Final[Mapping[str, str]] = {
    "A100-SXM-40GB": "nvidia-tesla-a100",
    "A100-SXM-80GB": "nvidia-a100-80gb",
    "H100-SXM-80GB": "nvidia-h100-80gb",
    "H200-SXM-141GB": "nvidia-h200-141gb",
    "B200-SXM-180GB": "nvidia-b200",
    "L4-PCIe-24GB": "nvidia-l4",
    "RTX-PRO-6000-PCIe-96GB": "nvidia-rtx-pro-6000",
}
BY_MACHINE: Final[Mapping[str, str]] = {"a3-megagpu-8g": "nvidia-h100-mega-80gb"}
# Series without support for Persistent Disk (docs.cloud.google.com/compute/docs/disks/hyperdisks, from memory).
HYPERDISK_ONLY: Final = frozenset({"a4", "c4", "c4a", "c4d", "c4n", "g4", "m4", "n4", "n4a", "n4d"})
HYPERDISK_ONLY_MACHINES: Final = frozenset({"a3-ultragpu-8g"})
LOCAL_SSD_GB: Final = 375
# Machines that support flex-start with compact placement (Cluster Toolkit at 10470803, modules/compute/gke-node-pool).
COMPACT_FLEX: Final = frozenset({"a3-ultragpu-8g", "a4-highgpu-8g"})


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuNetworkSpec:
    """Networks between the GPUs of several nodes, in addition to the cluster's own.

    Args:
        kind: prefix of the networks' names; one for each machine, since zones differ.
        networks: VPCs with one subnet each.
        lanes: subnets of one RDMA network; 0 for none.
        mtu: of the plain networks.
    """

    kind: str
    networks: int
    lanes: int = 0
    mtu: int = 8896


# Cluster Toolkit at 10470803 (June 2026), examples/gke-a3-highgpu, gke-a3-megagpu, gke-a3-ultragpu and gke-a4: four
# networks for TCPX, eight for TCPXO, one more NIC and eight RDMA lanes for A3 Ultra and A4.
FABRICS: Final[Mapping[str, GpuNetworkSpec]] = {
    "a3-highgpu-8g": GpuNetworkSpec(kind="tcpx", networks=4, mtu=8244),
    "a3-megagpu-8g": GpuNetworkSpec(kind="tcpxo", networks=8, mtu=8244),
    "a3-ultragpu-8g": GpuNetworkSpec(kind="a3-rdma", networks=1, lanes=8),
    "a4-highgpu-8g": GpuNetworkSpec(kind="a4-rdma", networks=1, lanes=8),
}


def fabric_of(pool: Pool) -> GpuNetworkSpec | None:
    """The fabric between a pool's nodes; None for a single node."""
    return FABRICS.get(pool.machine) if pool.max_nodes > 1 else None


def accelerator(pool: Pool) -> str:
    """GKE's name of the pool's accelerator; "" without one.

    Raises:
        InputError: the accelerator is not one of Google Cloud's.
    """
    if pool.accelerator is None:
        return ""
    found = BY_MACHINE.get(pool.machine) or ACCELERATORS.get(pool.accelerator)
    if found is None:
        raise InputError(f"pool {pool.name}: GKE's name for {pool.accelerator} is unknown")
    return found


def disk_type(pool: Pool) -> str:
    series = pool.machine.partition("-")[0]
    only_hyperdisk = series in HYPERDISK_ONLY or pool.machine in HYPERDISK_ONLY_MACHINES
    return "hyperdisk-balanced" if only_hyperdisk else "pd-balanced"


def local_ssds(pool: Pool) -> int:
    """Number of local SSDs, from their total size."""
    return (pool.local_nvme_gb or 0) // LOCAL_SSD_GB
