"""The best CPU machines for a demand at one place, without trying those that cannot win."""

from __future__ import annotations

from dataclasses import replace
from math import ceil, inf
from typing import TYPE_CHECKING, Final

from planning.quoting.candidates.candidate import Candidate, whole
from planning.sizing.demand import Misfit
from planning.sizing.machines.fit import fit

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence
    from decimal import Decimal

    from catalogs.model import Offer, Price, PurchaseKind
    from planning.quoting.candidates.market import CpuStock
    from planning.sizing.demand import Demand
    from planning.values.money import Range

SLACK: Final = 1 + 1e-9  # the bounds are floats, the costs are not
SHORT: Final = 1e-9  # of a node, for the same reason


def best_cpu(
    demand: Demand,
    stock: Sequence[CpuStock],
    *,
    kinds: Container[PurchaseKind],
    allows: Callable[[Offer], bool],
    fallback: Callable[[Offer], Price | None],
    keep: Callable[[Candidate], bool],
    cost: Callable[[Candidate], Decimal],
    reading: Callable[[Range], Decimal],
) -> Candidate | None:
    """The candidate of least cost; ties go to the first name.

    Args:
        stock: by USD per core, least first: once the cores alone cost more than the best so far, all others do.
        kinds: purchases that are allowed at all; `allows` looks at each offer.
        fallback: the price of what may take an offer's place.
        cost: USD per month that decides.
        reading: which end of a range decides, for the hours of a node.
    """
    memory_gib = float(demand.memory_gib)
    best: tuple[Decimal, str, str] | None = None
    chosen: Candidate | None = None
    limit, hours = inf, 0.0
    for each in stock:
        if each.usd_per_core * demand.vcpus * hours > limit:
            break
        if each.kind not in kinds or each.usd_per_gib * memory_gib * hours > limit:
            continue
        nodes = max(-(-demand.vcpus // each.vcpus), ceil(memory_gib / each.memory_gib - SHORT))
        if each.usd_per_core * each.vcpus * nodes * hours > limit:
            continue
        offer = each.offer()
        candidate = _on(demand, offer, fallback) if allows(offer) else None
        if candidate is None or not keep(candidate):
            continue
        hours = float(reading(candidate.fit.node_hours) / (candidate.fit.working + candidate.fit.spares))
        key = (cost(candidate), candidate.machine.name, candidate.parts[0].offer.price.purchase)
        if best is None or key < best:
            best, chosen, limit = key, candidate, float(key[0]) * SLACK
    return chosen


def with_hours(candidate: Candidate, hours: Decimal) -> Candidate:
    """The same CPU machines, up for this many hours of a month."""
    part = candidate.parts[0]
    found = _on(replace(candidate.demand, busy_hours=hours), part.offer, lambda _: part.fallback)
    if found is None:
        raise TypeError(f"{candidate.machine.name} fitted for other hours")
    return found


def _on(demand: Demand, offer: Offer, fallback: Callable[[Offer], Price | None]) -> Candidate | None:
    sits = fit(demand, offer.machine, None)
    return None if isinstance(sits, Misfit) else whole(demand, sits, offer, None, fallback=fallback(offer))
