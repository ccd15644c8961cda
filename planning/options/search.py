"""The search: the best place and machines for a goal, exactly, without trying what cannot win.

The cost of a cluster is a sum: what each demand costs on the machines picked for it, and what the place costs
whatever is picked. So the best pick of a place is the best pick of each demand, and a place whose accelerators and
overhead alone cost more than the best cluster so far needs no further look. (A CPU pool that is up as long as the
job beside it follows that job's hours, and counts in that job's cost.) A property test holds this equal to brute force.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from planning.money import HOURS_PER_MONTH, Range
from planning.options.candidate import rank_usd
from planning.options.field import SYSTEM
from planning.sizing.hours import hours_beside

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from decimal import Decimal

    from planning.demand import Demand
    from planning.options.candidate import Candidate
    from planning.options.field import Field, Keep
    from planning.options.market import Place

    Only = Callable[[Place], bool]


@dataclass(frozen=True, slots=True)
class Pick:
    """One cluster: a place, and a candidate for each demand; `rank` is its USD per month with stand-ins.

    `missing` are demands for CPU nodes at a provider whose CPU machines are not in the catalog: needed, unpriced.
    """

    place: Place
    candidates: tuple[Candidate, ...]
    missing: tuple[Demand, ...]
    rank: Range


def any_pick(pick: Pick) -> bool:
    """Accepts every cluster."""
    del pick
    return True


def cheapest(field: Field, keep: Keep, *, only: Only, accept: Callable[[Pick], bool] = any_pick) -> Pick | None:
    """The cheapest whole cluster among kept candidates and places, if accepted; None where there is none."""
    best: Pick | None = None
    for floor, place in _by_floor(field, keep, only):
        if best is not None and floor > field.reading(best.rank):
            break
        pick = at(field, place, keep)
        if pick is None or not accept(pick):
            continue
        if best is None or _key(field, pick) < _key(field, best):
            best = pick
    return best


def _key(field: Field, pick: Pick) -> tuple[Decimal, Place]:
    return field.reading(pick.rank), pick.place


def _by_floor(field: Field, keep: Keep, only: Only) -> list[tuple[Decimal, Place]]:
    """Places with what they cost at least, least first."""
    floors: list[tuple[Decimal, Place]] = []
    for place in field.places():
        if not only(place):
            continue
        least = [_least(field, each.get(place, ()), keep) for each in field.gpu.values()]
        known = [usd for usd in least if usd is not None]
        if len(known) == len(least):
            floors.append((sum(known, field.reading(field.overhead(place))), place))
    return sorted(floors)


def _least(field: Field, candidates: Iterable[Candidate], keep: Keep) -> Decimal | None:
    return min((field.reading(each.machine_usd) for each in candidates if keep(each)), default=None)


def at(field: Field, place: Place, keep: Keep) -> Pick | None:
    """The cheapest cluster at one place; None where a demand cannot be met there."""
    beside = {each.beside: field.cpu(all_month(each), place, keep) for each in field.demands if each.beside}
    leaders: dict[str, Candidate] = {}
    for workload, stock in field.gpu.items():
        kept = [each for each in stock.get(place, ()) if keep(each)]
        best = min(kept, key=lambda each: _with_beside(field, each, beside.get(each.demand.workload)), default=None)
        if best is None:
            return None
        leaders[workload] = best
    return completed(field, place, leaders, keep)


def completed(field: Field, place: Place, leaders: Mapping[str, Candidate], keep: Keep) -> Pick | None:
    """The cluster around given accelerator pools; None where a CPU demand other than the system's cannot be met."""
    picked: list[Candidate] = []
    missing: list[Demand] = []
    for demand in field.demands:
        best = leaders.get(demand.workload) or field.cpu(timed(demand, leaders), place, keep)
        if best is not None:
            picked.append(best)
        elif demand.kind == SYSTEM:
            missing.append(demand)
        else:
            return None
    return Pick(place, tuple(picked), tuple(missing), _total(field, place, picked, missing))


def _with_beside(field: Field, leader: Candidate, beside: Candidate | None) -> tuple[Decimal, str, str]:
    """The order of a leader, with the pool that is up as long as it is."""
    usd, machine, purchase = field.order(leader)
    if beside is None:
        return usd, machine, purchase
    share = hours_beside(leader.fit) / HOURS_PER_MONTH
    return usd + rank_usd(beside, field.market).expected * share, machine, purchase


def all_month(demand: Demand) -> Demand:
    """The demand as if it were up all month: what an hour of it costs shows in its month."""
    return replace(demand, busy_hours=HOURS_PER_MONTH)


def timed(demand: Demand, leaders: Mapping[str, Candidate]) -> Demand:
    """The demand, up as long as the job it stands beside."""
    leader = leaders.get(demand.beside) if demand.beside else None
    return demand if leader is None else replace(demand, busy_hours=hours_beside(leader.fit))


def _total(field: Field, place: Place, candidates: Iterable[Candidate], missing: Iterable[Demand]) -> Range:
    """USD per month of a cluster of these candidates, with stand-ins for what has no price."""
    usd = field.overhead(place)
    for candidate in candidates:
        usd += rank_usd(candidate, field.market)
    for demand in missing:
        usd += field.stand_in(demand)
    return usd
