"""The fastest cluster: the quickest machines, and as many of them as the ceiling carries."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from planning.demand import Misfit
from planning.money import ZERO
from planning.options.candidate import whole
from planning.options.field import anything
from planning.options.search import Pick, at, completed
from planning.sizing.fit import fit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.demand import Demand
    from planning.options.candidate import Candidate
    from planning.options.field import Field
    from planning.options.market import Place

# Scaling of 0.9 is what the founding texts report for clusters a few times larger, not for any size: our own bound.
MOST_GROWTH: Final = 8
# Starting a GPU node and loading its images and data takes minutes; below an hour more nodes gain little.
SHORTEST_RUN_HOURS: Final = 1
NEVER: Final = Decimal("Infinity")


def fastest(field: Field) -> Pick | str:
    """The quickest machines that meet the deadline, else the quickest pick under the ceiling, or why there is none."""
    demand = _paced(field)
    if demand is None:
        return "no workload has a speed to compare: nothing is trained and no answer is timed"
    pick = _quickest(field, demand)
    if pick is None and demand.deadline_hours is not None:
        late = replace(demand, deadline_hours=None)
        pick = _quickest(field.instead_of(demand, late), late)
    return pick or "nothing that fits is under the ceiling"


def _quickest(field: Field, demand: Demand) -> Pick | None:
    best: Pick | None = None
    for floor, candidate in _quickest_first(field, demand):
        if best is not None and floor > pace(_of(best, demand)):
            break
        pick = _grown(field, demand, candidate)
        if pick is not None and (best is None or _key(field, pick, demand) < _key(field, best, demand)):
            best = pick
    return best


def _paced(field: Field) -> Demand | None:
    """The demand that sets the pace: the one with most work, else the first that answers requests."""
    worked = [each for each in field.demands if each.accelerators and (each.flops or each.samples_per_run)]
    if worked:
        return max(worked, key=lambda each: (each.flops or ZERO, each.samples_per_run or ZERO))
    return next((each for each in field.demands if each.bytes_per_token), None)


def pace(candidate: Candidate) -> Decimal:
    """Hours of a run, else milliseconds of a token: less is faster."""
    fitted = candidate.fit
    if fitted.hours_per_run is not None:
        return fitted.hours_per_run
    return fitted.ms_per_token if fitted.ms_per_token is not None else NEVER


def _quickest_first(field: Field, demand: Demand) -> list[tuple[Decimal, Candidate]]:
    """Candidates with the pace they could reach at most, quickest first."""
    found = (candidate for candidates in field.gpu[demand.workload].values() for candidate in candidates)
    paced = [(_reachable(candidate, demand), candidate) for candidate in found]
    return sorted(paced, key=lambda each: (each[0], field.order(each[1]), each[1].place))


def _reachable(candidate: Candidate, demand: Demand) -> Decimal:
    if len(candidate.parts) > 1:
        return NEVER
    best = pace(candidate)
    return best / MOST_GROWTH if _can_grow(demand) else best


def _can_grow(demand: Demand) -> bool:
    asked = demand.hardware
    sized = asked is not None and (asked.nodes is not None or asked.count is not None)
    return demand.flops is not None and demand.deadline_hours is None and not sized


def _grown(field: Field, demand: Demand, candidate: Candidate) -> Pick | None:
    """The cluster around one candidate, with as many nodes as the ceiling carries."""
    place = candidate.place
    others = at(field, place, anything)
    if others is None:
        return None
    leaders = {each.demand.workload: each for each in others.candidates if each.accelerator}
    ceiling = field.checklist.ceiling.usd_per_month
    for sized in _sizes(demand, candidate, grow=ceiling is not None):
        pick = completed(field, place, {**leaders, demand.workload: sized}, anything)
        if pick is not None and (ceiling is None or field.reading(pick.rank) <= ceiling):
            return pick
    return None


def _sizes(demand: Demand, candidate: Candidate, *, grow: bool) -> Iterator[Candidate]:
    """The candidate at every size, largest first; without a ceiling there is no reason to grow."""
    least = candidate.fit.working
    most = least * MOST_GROWTH if grow and _can_grow(demand) else least
    part = candidate.parts[0]
    for nodes in range(most, least, -1):
        sits = fit(demand, candidate.machine, candidate.accelerator, nodes=nodes)
        if not isinstance(sits, Misfit) and (sits.hours_per_run or ZERO) >= SHORTEST_RUN_HOURS:
            yield whole(demand, sits, part.offer, candidate.accelerator, fallback=part.fallback)
    yield candidate


def _of(pick: Pick, demand: Demand) -> Candidate:
    return next(each for each in pick.candidates if each.demand.workload == demand.workload)


def _key(field: Field, pick: Pick, demand: Demand) -> tuple[Decimal, Decimal, Place]:
    return pace(_of(pick, demand)), field.reading(pick.rank), pick.place
