"""The search over one candidate set: the cluster of least cost that a view admits, without trying what cannot win.

The cost of a cluster is what its nodes cost, each pool on its own, and what the place costs whatever is picked there;
support, a share of the bill, never falls when the rest rises. So the cheapest cluster of a place is the cheapest
candidate of each demand, and a place whose cheapest accelerators alone cost more than the best cluster so far needs
no further look. (A CPU pool that is up as long as the job beside it follows that job's hours, and counts in that
job's cost.) A property test holds this equal to brute force over whole bills.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from planning.money import HOURS_PER_MONTH, NOTHING, ZERO, Range
from planning.options.candidate import rank_usd
from planning.options.candidate_set import EXPECTED, SYSTEM, anything
from planning.sizing.hours import hours_beside

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from decimal import Decimal

    from planning.demand import Demand
    from planning.options.candidate import Candidate
    from planning.options.candidate_set import CandidateSet, Keep
    from planning.options.market import Place

    Only = Callable[[Place], bool]


SLACK: Final = 1 + 1e-9  # the bound of CPU machines is a float, the costs are not


@dataclass(frozen=True, slots=True)
class Pick:
    """One cluster: a place, and a candidate for each demand.

    Args:
        missing: demands for CPU nodes at a provider whose CPU machines are not in the catalog: needed, unpriced.
        rank: USD per month of the whole bill, with the highest known price in place of each unknown one.
    """

    place: Place
    candidates: tuple[Candidate, ...]
    missing: tuple[Demand, ...]
    rank: Range


def anywhere(place: Place) -> bool:
    """Admits every place."""
    del place
    return True


def find_cheapest(
    candidates: CandidateSet,
    keep: Keep = anything,
    *,
    only: Only = anywhere,
    limit: Decimal | None = None,
    some: Keep | None = None,
    whole: bool = False,
) -> Pick | None:
    """The cluster of least expected cost; None where there is none. Ties go to the first place by name.

    Args:
        keep: candidates that may be part of it.
        only: places where it may be.
        limit: USD per month that the reading bound by the ceiling may come to.
        some: what at least one of its candidates must be.
        whole: whether every demand must be met by machines that have a price.
    """
    best: Pick | None = None
    for floor, place in order_places(candidates, keep, only):
        if best is not None and floor > best.rank.expected:
            break
        if best is not None and float(floor) + candidates.cpu_floor(place, keep) > float(best.rank.expected) * SLACK:
            continue
        pick = find_at(candidates, place, keep, limit=limit, some=some)
        if pick is None or (whole and pick.missing):
            continue
        if best is None or (pick.rank.expected, pick.place) < (best.rank.expected, best.place):
            best = pick
    return best


def order_places(candidates: CandidateSet, keep: Keep, only: Only) -> list[tuple[Decimal, Place]]:
    """Places with the least that a cluster there is expected to cost, least first."""
    floors: list[tuple[Decimal, Place]] = []
    for place in candidates.places():
        if not only(place):
            continue
        least = [_least(candidates, stock.get(place, ()), keep) for stock in candidates.gpu.values()]
        known = [usd for usd in least if usd is not None]
        if len(known) == len(least):
            floor = candidates.total(place, Range.exactly(sum(known, start=ZERO))).expected
            floors.append((floor, place))
    return sorted(floors)


def _least(candidates: CandidateSet, stock: Iterable[Candidate], keep: Keep) -> Decimal | None:
    """USD of the first kept candidate: the stock of a place is in the order of its cost."""
    return next((candidates.cost(each) for each in stock if keep(each)), None)


def find_at(
    candidates: CandidateSet, place: Place, keep: Keep, *, limit: Decimal | None = None, some: Keep | None = None
) -> Pick | None:
    """The cheapest cluster at one place; None where a demand cannot be met there or nothing is under the limit."""
    pick = _cheapest_at(candidates, place, keep)
    if pick is None:
        return None
    if some is not None and not any(some(each) for each in pick.candidates):
        pick = _with_some(candidates, place, keep, some)
    if pick is None or limit is None or candidates.bound(pick.rank) <= limit:
        return pick
    return _find_under(candidates, place, keep, limit)


def _cheapest_at(candidates: CandidateSet, place: Place, keep: Keep) -> Pick | None:
    leaders = _find_leaders(candidates, place, keep)
    return None if leaders is None else complete(candidates, place, leaders, keep)


def _find_leaders(candidates: CandidateSet, place: Place, keep: Keep) -> dict[str, Candidate] | None:
    """The cheapest accelerators for each demand; None where one cannot be met."""
    leaders: dict[str, Candidate] = {}
    for workload, stock in candidates.gpu.items():
        kept = (each for each in stock.get(place, ()) if keep(each))
        if candidates.beside[workload]:
            best = min(kept, key=lambda each: _usd_with_beside(candidates, each, keep).expected, default=None)
        else:
            best = next(kept, None)
        if best is None:
            return None
        leaders[workload] = best
    return leaders


def _with_some(candidates: CandidateSet, place: Place, keep: Keep, some: Keep) -> Pick | None:
    """The cheapest cluster in which one demand is met by what must be there, each demand tried in turn."""
    leaders = _find_leaders(candidates, place, keep) or {}
    picks: list[Pick | None] = []
    tried: set[int] = set()  # workloads that ask for the same share their candidates
    for demand in candidates.demands:
        if demand.accelerators:
            stock = candidates.gpu[demand.workload].get(place, ())
            if id(stock) in tried:
                continue
            tried.add(id(stock))
            picks += [
                complete(candidates, place, {**leaders, demand.workload: each}, keep)
                for each in stock
                if keep(each) and some(each)
            ][:1]
        else:
            must = partial(_is_met_by, keep=keep, some=some, workload=demand.workload)
            picks.append(complete(candidates, place, leaders, must))
    found = [pick for pick in picks if pick is not None and any(some(each) for each in pick.candidates)]
    return min(found, key=lambda pick: pick.rank.expected, default=None)


def _is_met_by(candidate: Candidate, *, keep: Keep, some: Keep, workload: str) -> bool:
    return keep(candidate) and (candidate.demand.workload != workload or some(candidate))


def _find_under(candidates: CandidateSet, place: Place, keep: Keep, limit: Decimal) -> Pick | None:
    """The cheapest cluster under a limit on another reading than the expected one.

    Sums are built demand by demand; one that another undercuts in both readings leads nowhere.
    """
    if candidates.bound is EXPECTED:
        return None
    sums: list[tuple[Range, dict[str, Candidate]]] = [(NOTHING, {})]
    for workload, stock in candidates.gpu.items():
        kept = [each for each in stock.get(place, ()) if keep(each)]
        usd = [_usd_with_beside(candidates, each, keep) for each in kept]
        sums = _undominated(
            candidates,
            [
                (total + usd[at], {**leaders, workload: each})
                for total, leaders in sums
                for at, each in enumerate(kept)
                if candidates.bound(candidates.total(place, total + usd[at])) <= limit
            ],
        )
    picks = (complete(candidates, place, leaders, keep) for _, leaders in sums)
    return next((pick for pick in picks if pick is not None and candidates.bound(pick.rank) <= limit), None)


def _undominated(
    candidates: CandidateSet, sums: list[tuple[Range, dict[str, Candidate]]]
) -> list[tuple[Range, dict[str, Candidate]]]:
    """Sums in the order of the expected reading, each with less of the bound one than all before it."""
    kept: list[tuple[Range, dict[str, Candidate]]] = []
    for each in sorted(sums, key=lambda one: (one[0].expected, candidates.bound(one[0]))):
        if not kept or candidates.bound(each[0]) < candidates.bound(kept[-1][0]):
            kept.append(each)
    return kept


def complete(candidates: CandidateSet, place: Place, leaders: Mapping[str, Candidate], keep: Keep) -> Pick | None:
    """The cluster around given accelerator pools; None where a CPU demand other than the system's cannot be met."""
    picked: list[Candidate] = []
    missing: list[Demand] = []
    nodes = NOTHING
    for demand in candidates.demands:
        best = _named(leaders.get(demand.workload), demand) or candidates.cpu(timed(demand, leaders), place, keep)
        if best is not None:
            picked.append(best)
            nodes += rank_usd(best, candidates.market)
        elif demand.kind == SYSTEM and candidates.cpu(demand, place, anything) is None:
            missing.append(demand)
            nodes += candidates.stand_in(demand)
        else:
            return None
    return Pick(place, tuple(picked), tuple(missing), candidates.total(place, nodes))


def _named(leader: Candidate | None, demand: Demand) -> Candidate | None:
    """A candidate that workloads share, as this demand's own."""
    return leader if leader is None or leader.demand is demand else replace(leader, demand=demand)


def _usd_with_beside(candidates: CandidateSet, leader: Candidate, keep: Keep) -> Range:
    """USD of a leader with the pools that are up as long as it is."""
    usd = rank_usd(leader, candidates.market)
    for demand in candidates.beside[leader.demand.workload]:
        pool = candidates.cpu(all_month(demand), leader.place, keep)
        if pool is not None:
            usd += rank_usd(pool, candidates.market).times(hours_beside(leader.fit) / HOURS_PER_MONTH)
    return usd


def all_month(demand: Demand) -> Demand:
    """The demand as if it were up all month: what an hour of it costs shows in its month."""
    return replace(demand, busy_hours=HOURS_PER_MONTH)


def timed(demand: Demand, leaders: Mapping[str, Candidate]) -> Demand:
    """The demand, up as long as the job it stands beside."""
    leader = leaders.get(demand.beside) if demand.beside else None
    return demand if leader is None else replace(demand, busy_hours=hours_beside(leader.fit))
