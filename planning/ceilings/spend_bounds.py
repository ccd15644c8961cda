"""How much a month can come to at most through each layer that bounds it: nodes, queues, namespaces, and the guard.

The plan of the spend guard is compiled here from the lock alone: pools, queues, prices and the ceiling.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from planning.agents.spend_guard import DRAIN_HOURS, MeteredPool, SpendGuardPlan
from planning.checklist.model.vocabulary import HOME
from planning.costs.bill import BillGroup, lock_line
from planning.costs.node_prices import MOST, NodePrices, growth, node_prices
from planning.platform.queues import build_whole_flavor, flavor, lines, namespace_quotas, shares, without_slurm_nodes
from planning.values.money import HOURS_PER_MONTH, ZERO

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from decimal import Decimal

    from planning.costs.bill import Bill
    from planning.platform.queues import Flavor, WorkloadQueues
    from planning.spec.cluster import ClusterSpec, Pool
    from planning.spec.lock import Ceilings, Lock
    from planning.spec.lock_content import LockedLine


GUARD: Final = "spend_guard"  # the platform part
POOL: Final = "atoll/pool"


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerLimit:
    """The most that one layer lets a month cost.

    Args:
        nodes: at most, of each pool of the primary placement.
        usd_per_month: these nodes for 730 hours at the most expensive purchase, and the maximum of all other lines.
    """

    layer: str
    nodes: Mapping[str, int]
    usd_per_month: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerLimits:
    """The layers from the outermost inwards; no layer lets more through than the one before it.

    Args:
        unpriced: keys of lines without a price: every amount is then a floor.
        guarded_usd_per_month: the ceiling that the guard enforces on the primary placement and on all other lines as
            the ceiling counts them, or what the guard cannot stop where that is more; None without a guard.
    """

    layers: tuple[LayerLimit, ...]
    unpriced: tuple[str, ...]
    guarded_usd_per_month: Decimal | None

    @property
    def through_quotas(self) -> Decimal:
        """USD a month through the narrowest of the layers."""
        return min(layer.usd_per_month for layer in self.layers)

    @property
    def usd_per_month(self) -> Decimal:
        """The least of all bounds."""
        held = self.guarded_usd_per_month
        return self.through_quotas if held is None else min(self.through_quotas, held)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpendBounds:
    """What a cluster can come to at most in a month, whatever its workload asks for.

    Args:
        guarded_usd_per_month: what the spend guard lets through; None without a ceiling a month or a guard.
        all_nodes_usd_per_month: every node of every placement for 730 hours at the most expensive purchase that may
            take its place, and everything else in the bill at most; None where a machine has no price.
        unheld: pools of the primary placement whose nodes the guard does not stop, where that exceeds the ceiling.
    """

    guarded_usd_per_month: Decimal | None
    all_nodes_usd_per_month: Decimal | None
    unheld: tuple[str, ...] = ()


def spend_bounds(placements: Sequence[ClusterSpec], bill: Bill, ceiling: Ceilings) -> SpendBounds:
    """The bounds of an option before it is accepted."""
    lines = tuple(lock_line(line) for line in bill.lines)
    unknown = any(line.group is BillGroup.COMPUTE for line in bill.unpriced)
    grown = growth(lines, most_nodes(placements))
    every = bill.usd_per_month.max + sum(grown.values(), start=ZERO)
    guarded, limit = _calculate_guarded_spend(_plan(placements, lines, ceiling)), ceiling.usd_per_month
    above = guarded is not None and limit is not None and guarded > limit
    return SpendBounds(
        guarded_usd_per_month=guarded,
        all_nodes_usd_per_month=None if unknown else every,
        unheld=_unheld(placements[0]) if above else (),
    )


def most_nodes(placements: Iterable[ClusterSpec]) -> dict[str, int]:
    """The most nodes of each pool, under the beginning of its lines' keys."""
    return {
        f"{'' if spec.placement.name == HOME else f'{spec.placement.name}/'}pool/{pool.name}": pool.max_nodes
        for spec in placements
        for pool in spec.pools
    }


def build_home_prices(lock: Lock) -> NodePrices:
    """The prices by which the primary cluster counts its own spend."""
    return _build_node_prices(lock.placements, lock.bill, lock.ceiling)


def _build_node_prices(placements: Sequence[ClusterSpec], bill: Iterable[LockedLine], ceiling: Ceilings) -> NodePrices:
    beside = [spec.placement.name for spec in placements[1:]]
    nodes = most_nodes(placements[:1])
    return node_prices(bill, beside=beside, binds=ceiling.binds, nodes=nodes, ceiling_usd=ceiling.usd_per_month)


def reaches(lock: Lock) -> LayerLimits:
    """Every bound on the spend of a lock."""
    spec = lock.spec
    prices = node_prices(lock.bill, binds=MOST, nodes=most_nodes(lock.placements))
    layers = {
        "nodes": {pool.name: pool.max_nodes for pool in spec.pools},
        "namespaces": _within(spec, by_namespace(spec)),
        "queues": _within(spec, by_queue(spec)),
    }
    return LayerLimits(
        layers=tuple(_reach(name, nodes, prices) for name, nodes in layers.items()),
        unpriced=tuple(line.key for line in lock.bill if line.state == "unpriced"),
        guarded_usd_per_month=_calculate_guarded_spend(guard_plan(lock)),
    )


def guard_plan(lock: Lock) -> SpendGuardPlan | None:
    """The plan of a lock's spend guard; None where it has none.

    Nodes are known by their pool; on a cluster that exists the program says the machine instead.
    """
    return _plan(lock.placements, lock.bill, lock.ceiling)


def _plan(placements: Sequence[ClusterSpec], bill: Iterable[LockedLine], ceiling: Ceilings) -> SpendGuardPlan | None:
    home = placements[0]
    if ceiling.usd_per_month is None or home.platform is None or home.platform.part(GUARD) is None:
        return None
    return spend_plan(
        home,
        _build_node_prices(placements, bill, ceiling),
        ceiling_usd_per_month=ceiling.usd_per_month,
        label=POOL,
        key_of=lambda pool: pool.name,
        strangers=home.existing is None,
    )


def _reach(name: str, nodes: Mapping[str, int], prices: NodePrices) -> LayerLimit:
    hourly = sum((prices.most_usd_per_hour.get(pool, ZERO) * count for pool, count in nodes.items()), ZERO)
    return LayerLimit(layer=name, nodes=nodes, usd_per_month=hourly * HOURS_PER_MONTH + prices.other_most_usd_per_month)


def _calculate_guarded_spend(plan: SpendGuardPlan | None) -> Decimal | None:
    if plan is None:
        return None
    stays = sum((pool.usd_per_hour * (pool.least if pool.held else pool.most) for pool in plan.pools), ZERO)
    certain = stays * HOURS_PER_MONTH + plan.other_usd_per_month + plan.elastic_usd_per_hour * DRAIN_HOURS
    return max(plan.ceiling_usd_per_month, certain)


def _within(spec: ClusterSpec, accelerators: Mapping[str, int]) -> dict[str, int]:
    """Nodes that so many accelerators can keep busy: one pod of one accelerator on each is enough.

    Pools that a layer does not count have their full size; none has fewer nodes than it always has.
    """
    return {
        pool.name: min(pool.max_nodes, max(pool.min_nodes, accelerators.get(pool.name, pool.max_nodes)))
        for pool in spec.pools
    }


def by_namespace(spec: ClusterSpec) -> dict[str, int]:
    """Accelerators of each pool, or parts of them, that its namespace's quota allows: it does not say on which pool."""
    hard = namespace_quotas(spec.pools, spec.platform)
    return {
        pool.name: hard[pool.workload][_flavor(pool, spec).resource]
        for pool in spec.pools
        if pool.workload and pool.accelerators
    }


def by_queue(spec: ClusterSpec) -> dict[str, int]:
    """Accelerators of each pool that Kueue admits: guarantees, and what a cohort lends, each once; Slurm's beside."""
    if spec.platform is None:
        return {}
    kinds = {work.name: work.kind for work in spec.platform.works}
    found: dict[str, int] = {}
    for line in lines(spec.platform, without_slurm_nodes(spec.pools, kinds=kinds, orchestration=spec.orchestration)):
        for each in line.flavors:
            name = each.pool.name
            found[name] = sum(queue.nominal[name] for queue in line.queues) + max(0, line.lent[name])
    for share in shares(spec):
        name = share.pool.name
        if name in found:
            found[name] += share.nodes * share.pool.accelerators * flavor(share.pool, spec.platform).parts
    return found


def faults(spec: ClusterSpec) -> tuple[str, ...]:
    """Where one layer lets through what the layer before it does not have, and pools that Slurm may fill by itself."""
    if spec.platform is None:
        return ()
    queued = by_queue(spec)
    over = [
        f"the queues admit {queued[pool.name]} accelerators of pool {pool.name}, its nodes have {_has(pool, spec)}"
        for pool in spec.pools
        if queued.get(pool.name, 0) > _has(pool, spec)
    ]
    loose = [f"pool {name} grows, and the guard holds no queue that alone makes it grow" for name in _unheld(spec)]
    return (*over, *loose)


def _unheld(spec: ClusterSpec) -> tuple[str, ...]:
    """Pools that grow by themselves, whatever queue the guard stops: Slurm's, whose workers people scale."""
    held = find_held_pools(spec, elastic_lines(spec))
    return tuple(pool.name for pool in spec.pools if pool.max_nodes > pool.min_nodes and pool.name not in held)


def _has(pool: Pool, spec: ClusterSpec) -> int:
    """Accelerators of the pool at its full size, in the parts that queues count."""
    parts = _flavor(pool, spec).parts if pool.accelerators else 1
    return pool.max_nodes * pool.accelerators * parts


def _flavor(pool: Pool, spec: ClusterSpec) -> Flavor:
    return build_whole_flavor(pool) if spec.platform is None else flavor(pool, spec.platform)


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
        strangers: whether a node of no pool counts, at the highest price: not in a cluster that others use as well.
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
    """Pools whose further nodes start for pods of queues only, which the guard stops; Slurm starts its own nodes.

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
    """Pools whose nodes look alike, as one: at the higher price, held where both are."""
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
