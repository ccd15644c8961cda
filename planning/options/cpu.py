"""The best CPU machines for a demand at one place, without trying those that cannot win."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planning.demand import Misfit
from planning.options.candidate import Candidate, whole
from planning.sizing.fit import fit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from decimal import Decimal

    from catalogs.model import Offer
    from planning.demand import Demand
    from planning.money import Range
    from planning.options.market import CpuStock


def best_cpu(
    demand: Demand,
    stock: Sequence[CpuStock],
    *,
    allows: Callable[[Offer], bool],
    keep: Callable[[Candidate], bool],
    cost: Callable[[Candidate], Decimal],
    reading: Callable[[Range], Decimal],
) -> Candidate | None:
    """The candidate of least cost; ties go to the first name.

    Args:
        stock: by USD per core, least first: once the cores alone cost more than the best so far, all others do.
        cost: USD per month that decides.
        reading: which end of a range decides, for the hours of a node.
    """
    best: tuple[Decimal, str, str] | None = None
    chosen: Candidate | None = None
    hours: Decimal | None = None
    for each in stock:
        if best is not None and hours is not None:
            if each.usd_per_core * demand.vcpus * hours > best[0]:
                break
            if each.usd_per_gib * demand.memory_gib * hours > best[0]:
                continue
        candidate = _on(demand, each.offer, allows)
        if candidate is None or not keep(candidate):
            continue
        hours = reading(candidate.fit.node_hours) / (candidate.fit.working + candidate.fit.spares)
        key = (cost(candidate), candidate.machine.name, each.offer.price.purchase)
        if best is None or key < best:
            best, chosen = key, candidate
    return chosen


def _on(demand: Demand, offer: Offer, allows: Callable[[Offer], bool]) -> Candidate | None:
    if not allows(offer):
        return None
    sits = fit(demand, offer.machine, None)
    return None if isinstance(sits, Misfit) else whole(demand, sits, offer, None)
