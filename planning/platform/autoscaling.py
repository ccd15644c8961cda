"""How a pool on AWS is held: nodes that stay are a managed node group, nodes that come and go are Karpenter's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from planning.spec.cluster import Pool

# Only Karpenter starts on-demand machines where spot has none, and starts nothing where a capacity block has ended.
KARPENTER_ONLY: Final = frozenset({"spot", "capacity_block"})


def fixed_nodes(pool: Pool) -> int:
    """Nodes of the managed node group; Karpenter itself runs on the system pool, which is therefore all fixed."""
    if pool.role == "system":
        return pool.max_nodes
    return 0 if pool.kind in KARPENTER_ONLY else pool.min_nodes


def elastic_nodes(pool: Pool) -> int:
    """Nodes that Karpenter may start at most."""
    return pool.max_nodes - fixed_nodes(pool)
