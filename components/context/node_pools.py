"""What every node pool says of itself, whichever cloud it is on: policies read it, and the takeoff prices by it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planning.costs.charge import range_to_inputs

if TYPE_CHECKING:
    from planning.spec.cluster import Placement, Pool


def pool_facts(placement: Placement, pool: Pool) -> dict[str, object]:
    """Inputs of a node pool's component."""
    return {
        "provider": placement.provider,
        "region": placement.region,
        "pool": pool.name,
        "role": pool.role,
        "machine": pool.machine,
        "purchase": pool.purchase,
        "accelerators": pool.accelerators,
        "maxNodes": pool.max_nodes,
        "nodeHours": range_to_inputs(pool.node_hours.as_range()),
    }
