"""A node pool on Google Cloud: equal nodes of one machine type in a GKE cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_gcp as gcp

from components.clouds.gcp.account.names import LUSTRE, pool_labels
from components.clouds.gcp.cluster.machines import COMPACT_FLEX, accelerator, disk_type, local_ssds
from components.clouds.gcp.cluster.settings import find_file_system_item, pool_zones, reservation_of
from components.context.hardware import group_taints, labels, pool_facts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.clouds.gcp.cluster.context import ClusterContext
    from planning.spec.cluster import Pool

ZONES_OF_A_REGION: Final = 3  # GKE spreads a regional cluster over three (GKE docs, regional clusters)
RESERVATION_KEY: Final = "compute.googleapis.com/reservation-name"
LONGEST_RUN: Final = "604800s"  # seven days, the most that flex-start gives (GKE docs, flex-start)


@dataclass(frozen=True, kw_only=True)
class Interface:
    """An additional network of a node; the cluster's own is always the first."""

    network: pulumi.Input[str]
    subnet: pulumi.Input[str]


@final
class NodePool(pulumi.ComponentResource):
    """Equal nodes of one offer.

    GPU nodes have GKE's own taint explicitly, so that the plan shows it. Burn-in taints nodes of pools of fixed
    size. After the first update the autoscaler owns the size.
    """

    def __init__(
        self,
        name: str,
        pool: Pool,
        here: ClusterContext,
        *,
        interfaces: Sequence[Interface],
        opts: pulumi.ResourceOptions,
    ) -> None:
        facts = {**pool_facts(here.site.placement, pool), **({"fallback": pool.fallback} if pool.fallback else {})}
        super().__init__("atoll:nodepool:NodePool", name, facts, opts)
        zones = pool_zones(pool, here.zones[pool.name])
        reservation = reservation_of(pool, site=here.site)
        # Nodes stay on their version until the exclusion ends; a channel takes no pool that says it never upgrades. The
        # driver's taint keeps pods off a GPU node until it is ready, so nodes are repaired, but for flex-start ones,
        # which GKE makes only without repair.
        nodes = gcp.container.NodePool(
            f"nodes-{pool.name}",
            cluster=here.cluster.resource.name,
            location=here.site.placement.region,
            node_locations=list(zones) or None,
            initial_node_count=_count_first_nodes(pool, zones=len(zones) or ZONES_OF_A_REGION),
            autoscaling={
                "total_min_node_count": pool.min_nodes,
                "total_max_node_count": pool.max_nodes,
                "location_policy": "ANY" if pool.kind in {"spot", "flex"} else "BALANCED",
            },
            management={"auto_repair": pool.kind != "flex", "auto_upgrade": True},
            # One node at a time; GPU machines are reserved or scarce, so there is none to surge to.
            upgrade_settings=(
                {"strategy": "SURGE", "max_surge": 0, "max_unavailable": 1}
                if pool.role == "gpu"
                else {"strategy": "SURGE", "max_surge": 1, "max_unavailable": 0}
            ),
            placement_policy=_select_placement(pool, reserved=reservation is not None),
            network_config={
                "enable_private_nodes": True,
                "additional_node_network_configs": [
                    {"network": each.network, "subnetwork": each.subnet} for each in interfaces
                ],
            },
            node_config=_build_node(pool, here, reservation=reservation),
            opts=pulumi.ResourceOptions(parent=self, ignore_changes=["initialNodeCount", "nodeCount"]),
        )
        self.register_outputs({"nodePool": nodes.id})


def _select_placement(pool: Pool, *, reserved: bool) -> gcp.container.NodePoolPlacementPolicyArgsDict | None:
    """Compact where requested and possible."""
    # A reservation has its own placement, and few machines support it with flex-start.
    refused = reserved or (pool.kind == "flex" and pool.machine not in COMPACT_FLEX)
    return {"type": "COMPACT"} if pool.placement_group and not refused else None


def _count_first_nodes(pool: Pool, *, zones: int) -> int:
    """Initial nodes per zone; never more than the pool's maximum, and none with flex-start."""
    if pool.kind == "flex":
        # It may wait for days, and an update would wait with it.
        return 0
    # Rounded up, so that the pool begins with enough; down where that would be beyond its maximum.
    each = -(-pool.min_nodes // zones)
    return each if each * zones <= pool.max_nodes else pool.min_nodes // zones


def _build_node(
    pool: Pool, here: ClusterContext, *, reservation: pulumi.Input[str] | None
) -> gcp.container.NodePoolNodeConfigArgsDict:
    # Secure Boot keeps Lustre's module off nodes, so CPU nodes of workloads that mount it start without (docs of
    # Managed Lustre, Connect to an existing instance from GKE).
    lustre = find_file_system_item(here.spec) == LUSTRE
    config: gcp.container.NodePoolNodeConfigArgsDict = {
        "machine_type": pool.machine,
        "image_type": "COS_CONTAINERD",
        "disk_type": disk_type(pool),
        "disk_size_gb": pool.disk_gb,
        "boot_disk_kms_key": here.key.id,
        "service_account": here.cluster.node_account,
        "oauth_scopes": ["https://www.googleapis.com/auth/cloud-platform"],  # rights are the account's
        "labels": labels(pool),
        "resource_labels": pool_labels(pool, here.labels),
        "taints": [{"key": key, "value": value, "effect": "NO_SCHEDULE"} for key, value in group_taints(pool)],
        "metadata": {"disable-legacy-endpoints": "true"},
        "workload_metadata_config": {"mode": "GKE_METADATA"},
        "shielded_instance_config": {
            "enable_secure_boot": not (lustre and pool.role == "cpu"),
            "enable_integrity_monitoring": True,
        },
        "gvnic": {"enabled": True},
        "reservation_affinity": _take_reservation(reservation),
    }
    if pool.kind == "spot":
        config["spot"] = True
    if pool.kind == "flex":
        config["flex_start"], config["max_run_duration"] = True, LONGEST_RUN
    if local_ssds(pool):  # scratch space of pods, emptied with the node
        config["ephemeral_storage_local_ssd_config"] = {"local_ssd_count": local_ssds(pool)}
    if name := accelerator(pool):
        version = "DEFAULT" if here.spec.profile.gpu_driver == "provider" else "INSTALLATION_DISABLED"
        driver: gcp.container.NodePoolNodeConfigGuestAcceleratorGpuDriverInstallationConfigArgsDict = {
            "gpu_driver_version": version
        }
        config["guest_accelerators"] = [
            {"type": name, "count": pool.accelerators, "gpu_driver_installation_config": driver}
        ]
    return config


def _take_reservation(
    reservation: pulumi.Input[str] | None,
) -> gcp.container.NodePoolNodeConfigReservationAffinityArgsDict:
    # Other nodes must not use up a reservation.
    if reservation is None:
        return {"consume_reservation_type": "NO_RESERVATION"}
    return {"consume_reservation_type": "SPECIFIC_RESERVATION", "key": RESERVATION_KEY, "values": [reservation]}
