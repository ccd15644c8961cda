"""A node pool on Google Cloud: equal nodes of one machine type in a GKE cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_gcp as gcp

from components.context.hardware import group_taints, labels, pool_facts
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planning.spec.cluster import Placement, Pool


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
# Series that take no Persistent Disk (docs.cloud.google.com/compute/docs/disks/hyperdisks, from memory).
HYPERDISK_ONLY: Final = frozenset({"a4", "c4", "c4a", "c4d", "c4n", "g4", "m4", "n4", "n4a", "n4d"})
HYPERDISK_ONLY_MACHINES: Final = frozenset({"a3-ultragpu-8g"})
LOCAL_SSD_GB: Final = 375
# Machines that start flexibly and close together (Cluster Toolkit at 10470803, modules/compute/gke-node-pool).
COMPACT_FLEX: Final = frozenset({"a3-ultragpu-8g", "a4-highgpu-8g"})


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuNetworkSpec:
    """Networks between the GPUs of several nodes, beside the cluster's own.

    Args:
        kind: begins the names of its networks; one for each machine, since zones differ.
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
    """The fabric that a pool's nodes are on: one node alone has nobody to talk to."""
    return FABRICS.get(pool.machine) if pool.max_nodes > 1 else None


def accelerator(pool: Pool) -> str:
    """What GKE calls the pool's accelerator; "" for a node without one.

    Raises:
        InputError: the accelerator is not one of Google Cloud's.
    """
    if pool.accelerator is None:
        return ""
    found = BY_MACHINE.get(pool.machine) or ACCELERATORS.get(pool.accelerator)
    if found is None:
        raise InputError(f"pool {pool.name}: GKE has no name for {pool.accelerator} that is known here")
    return found


def disk_type(pool: Pool) -> str:
    series = pool.machine.partition("-")[0]
    only_hyperdisk = series in HYPERDISK_ONLY or pool.machine in HYPERDISK_ONLY_MACHINES
    return "hyperdisk-balanced" if only_hyperdisk else "pd-balanced"


def local_ssds(pool: Pool) -> int:
    """Local SSDs that the machine comes with, by their size."""
    return (pool.local_nvme_gb or 0) // LOCAL_SSD_GB


ZONES_OF_A_REGION: Final = 3  # GKE spreads a regional cluster over three (GKE docs, regional clusters)
RESERVATION_KEY: Final = "compute.googleapis.com/reservation-name"
LONGEST_RUN: Final = "604800s"  # seven days, the most that flex-start gives (GKE docs, flex-start)


@dataclass(frozen=True, kw_only=True)
class Interface:
    """A further network of a node: the cluster's own is always the first."""

    network: pulumi.Input[str]
    subnet: pulumi.Input[str]


@dataclass(frozen=True, kw_only=True)
class NodePoolArgs:
    """What one node is, how many there may be, and where they join.

    Args:
        zones: the only zones the pool may use; empty for those that GKE gives the cluster.
        reservation: name of the reservation the nodes start in; None where there is none.
        driver: whether GKE installs the GPU driver.
        lustre: whether pods mount Managed Lustre.
        labels: labels of machines and disks.
    """

    placement: Placement
    pool: Pool
    cluster_name: pulumi.Input[str]
    node_account: pulumi.Input[str]
    key_id: pulumi.Input[str]
    zones: Sequence[pulumi.Input[str]]
    reservation: pulumi.Input[str] | None
    interfaces: Sequence[Interface]
    driver: bool
    lustre: bool
    labels: Mapping[str, str]


@final
class NodePool(pulumi.ComponentResource):
    """Equal nodes of one offer.

    GPU nodes carry the taint that GKE gives them too, so that the plan says it. Burn-in taints nodes of pools that
    always hold nodes, as on AWS. Its size belongs to the autoscaler after the first update.
    """

    def __init__(self, name: str, args: NodePoolArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:nodepool:NodePool", name, _facts(args), opts)
        pool = _pool(f"nodes-{args.pool.name}", args, parent=self)
        self.register_outputs({"nodePool": pool.id})


def _facts(args: NodePoolArgs) -> dict[str, object]:
    facts = pool_facts(args.placement, args.pool)
    return {**facts, "fallback": args.pool.fallback} if args.pool.fallback else facts


def _pool(name: str, args: NodePoolArgs, *, parent: NodePool) -> gcp.container.NodePool:
    """Nodes stay on their version until the exclusion ends; a channel takes no pool that says it never upgrades.

    The driver's taint keeps pods off a GPU node until it is ready, so nodes are repaired, but for flex-start ones,
    which GKE makes only without repair.
    """
    pool = args.pool
    return gcp.container.NodePool(
        name,
        cluster=args.cluster_name,
        location=args.placement.region,
        node_locations=list(args.zones) or None,
        initial_node_count=_first_nodes(args),
        autoscaling={
            "total_min_node_count": pool.min_nodes,
            "total_max_node_count": pool.max_nodes,
            "location_policy": "ANY" if pool.kind in {"spot", "flex"} else "BALANCED",
        },
        management={"auto_repair": pool.kind != "flex", "auto_upgrade": True},
        upgrade_settings=_upgrades(pool),
        placement_policy=_placement(args),
        network_config={
            "enable_private_nodes": True,
            "additional_node_network_configs": [
                {"network": each.network, "subnetwork": each.subnet} for each in args.interfaces
            ],
        },
        node_config=_node(args),
        opts=pulumi.ResourceOptions(parent=parent, ignore_changes=["initialNodeCount", "nodeCount"]),
    )


def _placement(args: NodePoolArgs) -> gcp.container.NodePoolPlacementPolicyArgsDict | None:
    """Close together where asked; a reservation brings its own placement, and few machines start flexibly so."""
    pool = args.pool
    refused = args.reservation is not None or (pool.kind == "flex" and pool.machine not in COMPACT_FLEX)
    return {"type": "COMPACT"} if pool.placement_group and not refused else None


def _first_nodes(args: NodePoolArgs) -> int:
    """Nodes to begin with, counted for each zone; never more than the pool may have, and none that may have to wait."""
    pool = args.pool
    if pool.kind == "flex":
        return 0
    zones = len(args.zones) or ZONES_OF_A_REGION
    each = -(-pool.min_nodes // zones)
    return each if each * zones <= pool.max_nodes else pool.min_nodes // zones


def _upgrades(pool: Pool) -> gcp.container.NodePoolUpgradeSettingsArgsDict:
    """One node at a time; a machine that is reserved or scarce has no double to surge to."""
    if pool.role == "gpu":
        return {"strategy": "SURGE", "max_surge": 0, "max_unavailable": 1}
    return {"strategy": "SURGE", "max_surge": 1, "max_unavailable": 0}


def _node(args: NodePoolArgs) -> gcp.container.NodePoolNodeConfigArgsDict:
    pool = args.pool
    config: gcp.container.NodePoolNodeConfigArgsDict = {
        "machine_type": pool.machine,
        "image_type": "COS_CONTAINERD",
        "disk_type": disk_type(pool),
        "disk_size_gb": pool.disk_gb,
        "boot_disk_kms_key": args.key_id,
        "service_account": args.node_account,
        "oauth_scopes": ["https://www.googleapis.com/auth/cloud-platform"],  # rights are the account's
        "labels": labels(pool),
        "resource_labels": dict(args.labels),
        "taints": [{"key": key, "value": value, "effect": "NO_SCHEDULE"} for key, value in group_taints(pool)],
        "metadata": {"disable-legacy-endpoints": "true"},
        "workload_metadata_config": {"mode": "GKE_METADATA"},
        "shielded_instance_config": {"enable_secure_boot": _secure(args), "enable_integrity_monitoring": True},
        "gvnic": {"enabled": True},
        "reservation_affinity": _reservation(args),
    }
    return {**config, **_market(pool), **_local(pool), **_accelerators(args)}


def _secure(args: NodePoolArgs) -> bool:
    """Secure Boot everywhere but on CPU nodes of workloads that mount Lustre: it keeps Lustre's module off them.

    Source: docs of Managed Lustre, Connect to an existing instance from GKE.
    """
    return not (args.lustre and args.pool.role == "cpu")


def _market(pool: Pool) -> gcp.container.NodePoolNodeConfigArgsDict:
    if pool.kind == "spot":
        return {"spot": True}
    return {"flex_start": True, "max_run_duration": LONGEST_RUN} if pool.kind == "flex" else {}


def _local(pool: Pool) -> gcp.container.NodePoolNodeConfigArgsDict:
    """Local SSDs become the scratch space of pods, emptied with the node."""
    count = local_ssds(pool)
    return {"ephemeral_storage_local_ssd_config": {"local_ssd_count": count}} if count else {}


def _accelerators(args: NodePoolArgs) -> gcp.container.NodePoolNodeConfigArgsDict:
    name = accelerator(args.pool)
    if not name:
        return {}
    version = "DEFAULT" if args.driver else "INSTALLATION_DISABLED"
    return {
        "guest_accelerators": [
            {
                "type": name,
                "count": args.pool.accelerators,
                "gpu_driver_installation_config": {"gpu_driver_version": version},
            }
        ]
    }


def _reservation(args: NodePoolArgs) -> gcp.container.NodePoolNodeConfigReservationAffinityArgsDict:
    """Only nodes that are meant for a reservation take from it."""
    if args.reservation is None:
        return {"consume_reservation_type": "NO_RESERVATION"}
    return {
        "consume_reservation_type": "SPECIFIC_RESERVATION",
        "key": RESERVATION_KEY,
        "values": [args.reservation],
    }
