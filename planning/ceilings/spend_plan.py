"""What the spend guard is told: compiled from the lock alone, pools, queues, prices and the ceiling."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planning.agents.spend_guard import MeteredPool, SpendGuardPlan
from planning.platform.queues import lines
from planning.platform.slurm import shares, without_slurm_nodes
from planning.values.money import ZERO

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from decimal import Decimal

    from planning.costs.node_prices import NodePrices
    from planning.platform.queues import WorkloadQueues
    from planning.spec.cluster import ClusterSpec, Pool


def spend_plan(
    spec: ClusterSpec,
    prices: NodePrices,
    *,
    ceiling_usd_per_month: Decimal,
    label: str,
    key_of: Callable[[Pool], str],
    strangers: bool,
) -> SpendGuardPlan:
    """The plan of a cluster.

    Args:
        label: of nodes, whose value `key_of` tells for a pool.
        strangers: whether a node of no pool counts, at the dearest price there is: not where others have nodes too.
    """
    elastic = elastic_lines(spec)
    held = find_held_pools(spec, elastic)
    most = prices.most_usd_per_hour
    pools: dict[str, MeteredPool] = {}
    for pool in spec.pools:
        if pool.name in most:
            key = key_of(pool)
            pools[key] = _merge_pools(_build_metered_pool(key, pool, prices, held=pool.name in held), pools.get(key))
    return SpendGuardPlan(
        ceiling_usd_per_month=ceiling_usd_per_month,
        other_usd_per_month=prices.other_most_usd_per_month,
        stranger_usd_per_hour=max(most.values(), default=ZERO) if strangers else ZERO,
        label=label,
        pools=tuple(pools.values()),
        queues=tuple(queue.name for line in elastic for queue in line.queues),
    )


def elastic_lines(spec: ClusterSpec) -> Sequence[WorkloadQueues]:
    """The queues whose nodes come and go; to stop the others would save nothing.

    A pod without accelerators may start a node of any pool that has none, whichever queue it waited in.
    """
    if spec.platform is None:
        return ()
    kinds = {work.name: work.kind for work in spec.platform.works}
    queued = without_slurm_nodes(spec.pools, kinds=kinds, orchestration=spec.orchestration)
    grow = [pool for pool in spec.pools if pool.max_nodes > pool.min_nodes]
    names = {pool.workload for pool in grow}
    anyone = any(is_open(pool, spec) for pool in grow)
    return tuple(line for line in lines(spec.platform, queued) if anyone or line.workload in names)


def is_open(pool: Pool, spec: ClusterSpec) -> bool:
    """Whether pods of every queue may be put on its nodes: no taint or label of ours keeps them off."""
    return not pool.accelerators or spec.existing is not None


def find_held_pools(spec: ClusterSpec, elastic: Sequence[WorkloadQueues]) -> frozenset[str]:
    """Pools of which more nodes start for pods of a stopped queue only: Slurm starts its own, and so does nobody else.

    Namespaces of workloads wait for queues; one that has no queue starts nothing at all.
    """
    named = {line.workload for line in elastic}
    by_slurm = {share.pool.workload for share in shares(spec)}
    queued = (pool for pool in spec.pools if named and pool.role != "system" and pool.workload not in by_slurm)
    return frozenset(pool.name for pool in queued if is_open(pool, spec) or pool.workload in named)


def _build_metered_pool(key: str, pool: Pool, prices: NodePrices, *, held: bool) -> MeteredPool:
    most = prices.most_usd_per_hour[pool.name]
    return MeteredPool(
        key=key,
        usd_per_hour=most,
        usd_as_spot=prices.usd_per_hour[pool.name] if pool.kind == "spot" else most,
        least=pool.min_nodes,
        most=pool.max_nodes,
        held=held,
    )


def _merge_pools(one: MeteredPool, other: MeteredPool | None) -> MeteredPool:
    """Pools whose nodes look alike, as one: at the dearer price, held where both are."""
    if other is None:
        return one
    return MeteredPool(
        key=one.key,
        usd_per_hour=max(one.usd_per_hour, other.usd_per_hour),
        usd_as_spot=max(one.usd_as_spot, other.usd_as_spot),
        least=one.least + other.least,
        most=one.most + other.most,
        held=one.held and other.held,
    )
