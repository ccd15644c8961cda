"""The fastest cluster under the ceiling: the least time in which every run that is asked for is done once.

Workloads run beside each other in pools of their own, so the longest run counts. A pool of a size of its own choice
may have up to eight times the least number of nodes, as far as the ceiling carries them.
"""

from __future__ import annotations

from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Final

from planning.quoting.candidates.candidate import rank_reading
from planning.quoting.candidates.extra_nodes import MOST_GROWTH, MULTIPLES
from planning.quoting.search.candidate_set import EXPECTED, keep_all
from planning.quoting.search.least_cost import SLACK, ClusterPick, complete, find_at, find_within

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from planning.quoting.candidates.candidate import Candidate
    from planning.quoting.candidates.market import Place
    from planning.quoting.search.candidate_set import CandidateSet
    from planning.sizing.demand import Demand

NEVER: Final = Decimal("Infinity")


def find_fastest(candidates: CandidateSet, *, limit: Decimal | None) -> ClusterPick | str:
    """The cluster of least wall time under a limit in USD per month, then of least cost; or why there is none.

    Pools grow only where the checklist has a ceiling: without one the fastest cluster would have no end.
    """
    paced = select_timed_demands(candidates)
    if not paced:
        return "no workload has a speed to compare: nothing is trained and no answer is timed"
    best: ClusterPick | None = None
    for floor, usd, place in _places_by_time(candidates, paced):
        if best is not None and floor > wall_time(best, paced):
            break
        if best is not None and not _may_win(candidates, place, paced, best=best, usd=usd):
            continue
        pick = _fastest_at(
            candidates, place, paced, limit=limit, at_most=NEVER if best is None else wall_time(best, paced)
        )
        if pick is not None and (best is None or _order(pick, paced) < _order(best, paced)):
            best = pick
    return best or "nothing that meets the checklist is under the ceiling"


def select_timed_demands(candidates: CandidateSet) -> Mapping[str, Demand]:
    """The demands that set the time: jobs with an end; where there are none, services that answer."""
    gpu = [each for each in candidates.demands if each.accelerators]
    jobs = {each.workload: each for each in gpu if each.flops or each.samples_per_run}
    return jobs or {each.workload: each for each in gpu if each.bytes_per_token}


def pace(candidate: Candidate) -> Decimal:
    """Hours of a run, else milliseconds of a token: less is faster."""
    sits = candidate.fit
    if sits.hours_per_run is not None:
        return sits.hours_per_run
    return sits.ms_per_token if sits.ms_per_token is not None else NEVER


def wall_time(pick: ClusterPick, paced: Mapping[str, Demand]) -> Decimal:
    """The longest pace of a cluster: the time until every run is done once."""
    return max(pace(each) for each in pick.candidates if each.demand.workload in paced)


def _order(pick: ClusterPick, paced: Mapping[str, Demand]) -> tuple[Decimal, Decimal, Place]:
    return wall_time(pick, paced), pick.rank.expected, pick.place


def _places_by_time(candidates: CandidateSet, paced: Mapping[str, Demand]) -> list[tuple[Decimal, Decimal, Place]]:
    """Places with the least time that could be reached there and the least cost of accelerators, least first."""
    found = [
        (max(min(_least_pace(candidates, each) for each in candidates.gpu[name][place]) for name in paced), usd, place)
        for usd, place in candidates.list_places(keep_all)
    ]
    return sorted(found)


def _may_win(
    candidates: CandidateSet, place: Place, paced: Mapping[str, Demand], *, best: ClusterPick, usd: Decimal
) -> bool:
    """Whether a place may have a faster cluster than the best so far, or one as fast that costs less.

    Args:
        usd: the least that its accelerators are expected to cost.
    """
    time = wall_time(best, paced)
    quickest = max(_quickest(candidates, candidates.gpu[name][place], at_most=time) for name in paced)
    if quickest != time:
        return quickest < time
    floor = candidates.place_costs.floor(place, usd)
    return float(floor) + candidates.cpu_floor(place, keep_all) <= float(best.rank.expected) * SLACK


def _quickest(candidates: CandidateSet, stock: list[Candidate], *, at_most: Decimal) -> Decimal:
    """The least pace at a place, at any number of nodes; how machines are paid for does not matter to it."""
    reachable = (each for each in stock if _least_pace(candidates, each) <= at_most)
    sizes = candidates.sizes
    return min((sizes.quickest(each) if sizes.grows(each) else pace(each) for each in reachable), default=NEVER)


def _least_pace(candidates: CandidateSet, candidate: Candidate) -> Decimal:
    """A bound: no more nodes than are tried make it faster than so many times."""
    return pace(candidate) / MOST_GROWTH if candidates.sizes.grows(candidate) else pace(candidate)


def _fastest_at(
    candidates: CandidateSet, place: Place, paced: Mapping[str, Demand], *, limit: Decimal | None, at_most: Decimal
) -> ClusterPick | None:
    """The fastest cluster of a place that takes no longer than `at_most`; None where there is none.

    Where nothing bounds the time yet, what the largest pools reach does: most sizes take longer and need no look.
    """
    others = find_at(candidates, place, keep_all)
    if others is None:
        return None
    search = partial(_find_fastest_with, candidates, others, paced, limit=limit)
    largest = search((MOST_GROWTH,), at_most=at_most) if at_most == NEVER else None
    return search(MULTIPLES, at_most=at_most if largest is None else wall_time(largest, paced)) or largest


def _find_fastest_with(
    candidates: CandidateSet,
    others: ClusterPick,
    paced: Mapping[str, Demand],
    multiples: Iterable[int],
    *,
    limit: Decimal | None,
    at_most: Decimal,
) -> ClusterPick | None:
    """The same around the cheapest cluster of the place, with pools of so many times the least number of nodes.

    What is feasible within a time is feasible within a longer one, so that the least time is found by halving.
    """
    place = others.place
    stocks = {name: candidates.gpu[name][place] for name in paced}
    sizes: dict[int, list[Candidate]] = {}  # by the stock: workloads that ask for the same share their candidates
    for key, stock in {id(each): each for each in stocks.values()}.items():
        reachable = (each for each in stock if _least_pace(candidates, each) <= at_most)
        every = (size for each in reachable for size in list_sizes(candidates, each, multiples, at_most=at_most))
        sizes[key] = [size for size in every if pace(size) <= at_most]
    times = sorted({pace(each) for of_stock in sizes.values() for each in of_stock})
    orders = [{key: sorted(of_stock, key=order) for key, of_stock in sizes.items()} for order in _orders(candidates)]
    low, high, best = 0, len(times), None
    while low < high:
        middle = (low + high) // 2
        pick = _within(candidates, others, orders, stocks=stocks, longest=times[middle], limit=limit)
        if pick is None:
            low = middle + 1
        else:
            best, high = pick, middle
    return best


def list_sizes(
    candidates: CandidateSet,
    candidate: Candidate,
    multiples: Iterable[int] = MULTIPLES,
    *,
    at_most: Decimal | None = None,
) -> Iterator[Candidate]:
    """The candidate at every number of nodes that is tried; without a ceiling there is no reason to grow.

    Args:
        at_most: hours that a run may take on more nodes than the least.
    """
    yield candidate
    if not candidates.sizes.grows(candidate):
        return
    for times in multiples:
        sized = candidates.resize(candidate, candidate.fit.working * times, at_most=at_most)
        if sized is not None:
            yield sized


def _orders(candidates: CandidateSet) -> Iterator[Callable[[Candidate], Decimal]]:
    """What the cheapest is told by: its expected cost, and the reading that the ceiling binds."""
    for reading in (EXPECTED,) if candidates.bound is EXPECTED else (EXPECTED, candidates.bound):
        yield partial(rank_reading, market=candidates.market, reading=reading)


def _within(
    candidates: CandidateSet,
    others: ClusterPick,
    orders: Sequence[Mapping[int, Sequence[Candidate]]],
    *,
    stocks: Mapping[str, object],
    longest: Decimal,
    limit: Decimal | None,
) -> ClusterPick | None:
    """The cheapest cluster of a place whose runs all end within a time, under the limit.

    Args:
        others: the cheapest cluster of the place: what its timed pools are replaced in.
        orders: the sizes of each stock by its `id`, from the one that is tried first.
        stocks: of each timed workload.
    """
    leaders = {each.demand.workload: each for each in others.candidates if each.accelerator}
    crowded = False
    for sizes in orders:
        quick: dict[int, Candidate] = {}
        for key, of_stock in sizes.items():
            first = next((each for each in of_stock if pace(each) <= longest), None)
            if first is None:
                return None
            quick[key] = first
        leaders |= {name: quick[id(stock)] for name, stock in stocks.items()}
        pick = complete(candidates, others.place, leaders, keep_all)
        if pick is not None and (limit is None or candidates.bound(pick.rank) <= limit):
            return pick
        crowded = pick is None
    if not crowded or not candidates.buildable.bounds(others.place[0]):
        return None
    in_time = {name: [each for each in orders[0][id(stock)] if pace(each) <= longest] for name, stock in stocks.items()}
    return find_within(candidates, others.place, keep_all, limit=limit, stocks=in_time)
