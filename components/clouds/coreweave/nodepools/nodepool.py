"""A node pool on CoreWeave: a custom resource inside the cluster, from which CKS makes bare-metal nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource

from components.context.hardware import group_taints, labels, pool_facts
from planning.costs.resources.clouds.coreweave import INSTANCE_TYPES
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planning.spec.cluster import Placement, Pool

API_VERSION: Final = "compute.coreweave.com/v1alpha1"
COMPUTE_CLASS: Final[Mapping[str, str]] = {"spot": "spot"}
# CKS runs its own agents on nodes that carry it; a pool that scales to zero must not hold the only ones.
SYSTEM_LABEL: Final = "cks.coreweave.cloud/system-critical"
# Sold and rebooted by the rack of 18 nodes; CKS refuses to scale them (docs.coreweave.com, Autoscale Node Pools).
RACKS: Final[Mapping[str, int]] = {"GB200-NVL72-4x": 18}


@dataclass(frozen=True, kw_only=True)
class NodePoolArgs:
    """What one node is and how many there may be.

    Args:
        cpu_machine: instance type of nodes whose machine the lock does not name.
    """

    placement: Placement
    pool: Pool
    cpu_machine: str


@final
class NodePool(pulumi.ComponentResource):
    """Equal nodes of one offer.

    CKS has driver, device plugin and repair; nothing of that is ours. Accelerator nodes are tainted with their device,
    so that nothing else fills them. A pool that may shrink is scaled by CKS's own autoscaler, which owns the size that
    is wanted now.
    """

    def __init__(self, name: str, args: NodePoolArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:nodepool:NodePool", name, pool_facts(args.placement, args.pool), opts)
        scaled = args.pool.min_nodes < args.pool.max_nodes
        CustomResource(
            f"nodes-{args.pool.name}",
            api_version=API_VERSION,
            kind="NodePool",
            metadata={"name": args.pool.name, "labels": {"app.kubernetes.io/managed-by": "atoll"}},
            spec=_spec(args, scaled=scaled),
            opts=pulumi.ResourceOptions(parent=self, ignore_changes=["spec.targetNodes"] if scaled else []),
        )
        self.register_outputs({})


def _spec(args: NodePoolArgs, *, scaled: bool) -> dict[str, object]:
    pool = args.pool
    _check_rack(pool, scaled=scaled)
    return {
        "computeClass": COMPUTE_CLASS.get(pool.kind, "default"),
        "instanceType": INSTANCE_TYPES.get(pool.machine, args.cpu_machine),
        "autoscaling": scaled,
        "targetNodes": pool.min_nodes,
        "minNodes": pool.min_nodes,
        "maxNodes": pool.max_nodes,
        "nodeLabels": {**labels(pool), **({SYSTEM_LABEL: "true"} if pool.min_nodes > 0 else {})},
        "nodeTaints": [{"key": key, "value": value, "effect": "NoSchedule"} for key, value in group_taints(pool)],
    }


def _check_rack(pool: Pool, *, scaled: bool) -> None:
    """Raises InputError where a rack-scale pool does not fill whole racks all the time."""
    rack = RACKS.get(pool.machine, 1)
    if rack > 1 and (scaled or pool.max_nodes % rack):
        raise InputError(
            f"pool {pool.name}: {pool.machine} comes in racks of {rack} nodes that never scale, "
            f"and the lock asks for {pool.min_nodes} to {pool.max_nodes}",
            hint="accept an option on another machine",
        )
