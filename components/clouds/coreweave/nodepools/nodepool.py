"""A node pool on CoreWeave: a custom resource inside the cluster, from which CKS makes bare-metal nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource

from components.context.hardware import group_taints, labels, pool_facts
from planning.costs.resources.clouds.coreweave import INSTANCE_TYPES
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.context.placement import PlacementContext
    from planning.spec.cluster import Pool

API_VERSION: Final = "compute.coreweave.com/v1alpha1"
COMPUTE_CLASS: Final[Mapping[str, str]] = {"spot": "spot"}
# CKS runs its own agents on nodes with this label; a pool that scales to zero must not have the only ones.
SYSTEM_LABEL: Final = "cks.coreweave.cloud/system-critical"
# Sold and rebooted by the rack of 18 nodes; CKS refuses to scale them (docs.coreweave.com, Autoscale Node Pools).
RACKS: Final[Mapping[str, int]] = {"GB200-NVL72-4x": 18}


@final
class NodePool(pulumi.ComponentResource):
    """Equal nodes of one offer.

    CKS provides driver, device plugin and repair. Accelerator nodes are tainted with their device, so that no other
    pods run there. A pool that may shrink is scaled by CKS's autoscaler, which owns its target size.
    """

    def __init__(self, pool: Pool, *, site: PlacementContext, cpu_machine: str, opts: pulumi.ResourceOptions) -> None:
        """`cpu_machine` is the instance type of nodes whose machine the lock does not name."""
        super().__init__("atoll:nodepool:NodePool", f"pool-{pool.name}", pool_facts(site.placement, pool), opts)
        scaled = pool.min_nodes < pool.max_nodes
        _check_rack(pool, scaled=scaled)
        spec = {
            "computeClass": COMPUTE_CLASS.get(pool.kind, "default"),
            "instanceType": INSTANCE_TYPES.get(pool.machine, cpu_machine),
            "autoscaling": scaled,
            "targetNodes": pool.min_nodes,
            "minNodes": pool.min_nodes,
            "maxNodes": pool.max_nodes,
            "nodeLabels": {**labels(pool), **({SYSTEM_LABEL: "true"} if pool.min_nodes > 0 else {})},
            "nodeTaints": [{"key": key, "value": value, "effect": "NoSchedule"} for key, value in group_taints(pool)],
        }
        CustomResource(
            f"nodes-{pool.name}",
            api_version=API_VERSION,
            kind="NodePool",
            metadata={"name": pool.name, "labels": {"app.kubernetes.io/managed-by": "atoll"}},
            spec=spec,
            opts=pulumi.ResourceOptions(parent=self, ignore_changes=["spec.targetNodes"] if scaled else []),
        )
        self.register_outputs({})


def _check_rack(pool: Pool, *, scaled: bool) -> None:
    """Raises InputError where a rack-scale pool does not fill whole racks all the time."""
    rack = RACKS.get(pool.machine, 1)
    if rack > 1 and (scaled or pool.max_nodes % rack):
        raise InputError(
            f"pool {pool.name}: {pool.machine} comes in racks of {rack} nodes that never scale, "
            f"and the lock asks for {pool.min_nodes} to {pool.max_nodes}",
            hint="accept an option on another machine",
        )
