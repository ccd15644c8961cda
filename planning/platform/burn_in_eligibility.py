"""Which nodes are tested before work lands on them: those that stay, are ours to set apart, and can be looked into."""

from __future__ import annotations

from typing import TYPE_CHECKING

from catalogs.providers import find_traits
from planning.platform.accelerators import NVIDIA, device

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.spec.cluster import ClusterSpec, Pool


def list_eligible_pools(spec: ClusterSpec) -> tuple[Pool, ...]:
    """Pools whose standing nodes wait for their burn-in, as the program builds it (decision 0028)."""
    return tuple(pool for pool in spec.pools if pool.burn_in and not why_not(pool, spec))


def explain_skipped_pools(spec: ClusterSpec) -> Iterator[str]:
    """For each reason, a sentence on the pools whose burn-in is wanted and is not run; none is left out in silence."""
    pools: dict[str, list[str]] = {}
    for pool in spec.pools:
        if pool.burn_in and (reason := why_not(pool, spec)):
            pools.setdefault(reason, []).append(pool.name)
    for reason, names in pools.items():
        yield f"burn_in: not run on {', '.join(names)}: {reason}"


def why_not(pool: Pool, spec: ClusterSpec) -> str:
    """Why nodes of a pool take work without a burn-in though one is wanted; "" where they have one."""
    if spec.existing is not None or spec.placement.target == "none":
        return "the cluster is not built by this program, so nothing sets its new nodes apart"
    if "burn_in" in spec.profile.forbidden:
        return "the provider forbids the pods that would test them"
    if pool.min_nodes == 0 or (find_traits(spec.placement.target).one_node_group and pool.min_nodes < pool.max_nodes):
        return "nodes that come and go with the work are given back after a test"
    if pool.role != "gpu" or not pool.accelerators or device(pool.accelerator) != NVIDIA:
        return "no program here looks into their accelerators"
    return ""
