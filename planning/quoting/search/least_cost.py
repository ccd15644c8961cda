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
from heapq import heapify, heappop, heappush
from itertools import product
from typing import TYPE_CHECKING, Final, NamedTuple

from planning.quoting.candidates.candidate import rank_usd, with_hours
from planning.quoting.search.candidate_set import EXPECTED, SYSTEM, keep_all
from planning.sizing.run_time import hours_beside
from planning.values.money import NOTHING, Range

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from decimal import Decimal

    from catalogs.model import PurchaseKind
    from planning.quoting.candidates.candidate import Candidate
    from planning.quoting.candidates.market import Place
    from planning.quoting.search.candidate_set import CandidateSet, Keep
    from planning.sizing.demand import Demand

    Only = Callable[[Place], bool]
    Choice = tuple[Range, dict[str, Candidate]]  # USD a month of what one demand and those beside it are met by


SLACK: Final = 1 + 1e-9  # the bound of CPU machines is a float, the costs are not


@dataclass(frozen=True, slots=True)
class ClusterPick:
    """One cluster: a place, and a candidate for each demand.

    Args:
        missing: demands for CPU nodes at a provider whose CPU machines are not in the catalog: needed, unpriced.
        rank: USD per month of the whole bill, with the highest known price in place of each unknown one.
    """

    place: Place
    candidates: tuple[Candidate, ...]
    missing: tuple[Demand, ...]
    rank: Range


@dataclass(frozen=True, slots=True)
class NodeLimit:
    """Keeps what another rule keeps on no more than so many nodes; two that say the same are one to a cache."""

    keep: Keep
    nodes: int

    def __call__(self, candidate: Candidate) -> bool:
        return count_nodes((candidate,)) <= self.nodes and self.keep(candidate)


class Subtotal(NamedTuple):
    """What the first demands are met by: the choice for the last of them, and the others before it.

    Args:
        usd: per month.
        nodes: of all pools.
        accelerated: of those with accelerators: no choice of CPU machines makes them fewer.
        last: candidates by workload.
    """

    usd: Range = NOTHING
    nodes: int = 0
    accelerated: int = 0
    last: Mapping[str, Candidate] = {}
    others: Subtotal | None = None

    def add(self, choice: Choice) -> Subtotal:
        usd, chosen = choice
        nodes = count_nodes(chosen.values())
        accelerated = count_nodes(each for each in chosen.values() if each.accelerator)
        return Subtotal(self.usd + usd, self.nodes + nodes, self.accelerated + accelerated, chosen, self)

    def leaders(self) -> dict[str, Candidate]:
        found: dict[str, Candidate] = {}
        subtotal: Subtotal | None = self
        while subtotal is not None:
            found |= subtotal.last
            subtotal = subtotal.others
        return found


def admit_all(place: Place) -> bool:
    """Admits every place."""
    del place
    return True


def find_cheapest(
    candidates: CandidateSet,
    keep: Keep = keep_all,
    *,
    only: Only = admit_all,
    limit: Decimal | None = None,
    some: Keep | None = None,
    whole: bool = False,
) -> ClusterPick | None:
    """The cluster of least expected cost; None where there is none. Ties go to the first place by name.

    Args:
        keep: candidates that may be part of it.
        only: places where it may be.
        limit: USD per month that the reading bound by the ceiling may come to.
        some: what at least one of its candidates must be.
        whole: whether every demand must be met by machines that have a price.
    """
    best: ClusterPick | None = None
    for floor, place in _order_places(candidates, keep, only):
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


def _order_places(candidates: CandidateSet, keep: Keep, only: Only) -> Iterator[tuple[Decimal, Place]]:
    """Places with the least that a cluster there is expected to cost, least first.

    What a place costs beside its accelerators is worked out once these alone are the least of what is left.
    """
    heap = [(usd, place, False) for usd, place in candidates.list_places(keep)]
    heapify(heap)
    while heap:
        usd, place, is_floor = heappop(heap)
        if is_floor:
            yield usd, place
        elif only(place):
            heappush(heap, (candidates.place_costs.floor(place, usd), place, True))


def find_at(
    candidates: CandidateSet, place: Place, keep: Keep, *, limit: Decimal | None = None, some: Keep | None = None
) -> ClusterPick | None:
    """The cheapest cluster at one place; None where a demand cannot be met there or nothing is under the limit."""
    pick = _cheapest_at(candidates, place, keep)
    if pick is None:
        return None
    if some is not None and not any(some(each) for each in pick.candidates):
        pick = _with_some(candidates, place, keep, some)
    if pick is None or limit is None or candidates.bound(pick.rank) <= limit:
        return pick
    # The cheapest by the expected reading may be over a limit on another one, where a dearer cluster is not.
    return None if candidates.bound is EXPECTED else find_within(candidates, place, keep, limit=limit)


def _cheapest_at(candidates: CandidateSet, place: Place, keep: Keep) -> ClusterPick | None:
    leaders = _find_leaders(candidates, place, keep)
    if leaders is None:
        return None
    pick = complete(candidates, place, leaders, keep)
    return pick or (find_within(candidates, place, keep) if candidates.buildable.bounds(place[0]) else None)


def _find_leaders(candidates: CandidateSet, place: Place, keep: Keep) -> dict[str, Candidate] | None:
    """The cheapest accelerators for each demand; None where one cannot be met."""
    leaders: dict[str, Candidate] = {}
    for workload, stock in candidates.gpu.items():
        kept = (each for each in stock.get(place, ()) if keep(each))
        if candidates.beside[workload]:
            best = _cheapest_with_beside(candidates, kept, candidates.list_beside(workload, place, keep))
        else:
            best = next(kept, None)
        if best is None:
            return None
        leaders[workload] = best
    return leaders


def _cheapest_with_beside(
    candidates: CandidateSet, stock: Iterable[Candidate], pools: Sequence[Sequence[Candidate]]
) -> Candidate | None:
    """The cheapest together with the pools beside it; from where it alone costs more than the best, nothing wins."""
    least: Decimal | None = None
    best: Candidate | None = None
    for each in stock:
        usd = candidates.cost(each)
        if least is not None and usd > least:
            break
        usd += _usd_beside(each, pools, candidates).expected
        if least is None or usd < least:
            least, best = usd, each
    return best


def _with_some(candidates: CandidateSet, place: Place, keep: Keep, some: Keep) -> ClusterPick | None:
    """The cheapest cluster in which one demand is met by what must be there, each demand tried in turn."""
    leaders = _find_leaders(candidates, place, keep) or {}
    picks: list[ClusterPick | None] = []
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


def find_within(
    candidates: CandidateSet,
    place: Place,
    keep: Keep,
    *,
    limit: Decimal | None = None,
    stocks: Mapping[str, Sequence[Candidate]] | None = None,
) -> ClusterPick | None:
    """The cheapest cluster under a limit, and with no more nodes than the place has room for.

    Sums are built demand by demand; one that another undercuts in both readings and in nodes leads nowhere.

    Args:
        stocks: what some workloads choose from, in place of all their candidates at the place.
    """

    def may_do(each: Subtotal) -> bool:
        if limit is None:
            return candidates.buildable.has_room(place[0], nodes=each.accelerated)
        return candidates.bound(candidates.place_costs.total(place, each.usd)) <= limit

    every = {name: stock.get(place, ()) for name, stock in candidates.gpu.items()} | dict(stocks or {})
    sums = [Subtotal()]
    for choices in _list_choices(candidates, place, keep, every):
        added = (subtotal.add(choice) for subtotal in sums for choice in choices)
        sums = _drop_dominated(candidates, place, filter(may_do, added))
    picks = (complete(candidates, place, each.leaders(), keep) for each in sums)
    return next(
        (pick for pick in picks if pick is not None and (limit is None or candidates.bound(pick.rank) <= limit)), None
    )


def _list_choices(
    candidates: CandidateSet, place: Place, keep: Keep, stocks: Mapping[str, Sequence[Candidate]]
) -> Iterator[list[Choice]]:
    """What each demand may be met by: accelerators with the pools beside them, then the CPU machines of other pools.

    CPU machines are a choice where nodes are bounded: larger ones than the cheapest make fewer nodes.
    """
    bounds = candidates.buildable.bounds(place[0])
    for workload, stock in stocks.items():
        kept = [each for each in stock if keep(each)]
        if not bounds:
            pools = candidates.list_beside(workload, place, keep)
            yield [
                (rank_usd(each, candidates.market) + _usd_beside(each, pools, candidates), {workload: each})
                for each in kept
            ]
            continue
        beside = [
            [
                each
                for first in pool
                for each in _list_fewer(candidates, first, keep, kind=first.parts[0].offer.term.kind)
            ]
            for pool in candidates.list_beside(workload, place, keep)
        ]
        yield [
            (usd, {workload: each, **pools})
            for each in kept
            for usd, pools in _list_with_beside(candidates, each, beside)
        ]
    for demand in candidates.demands if bounds else ():
        if not demand.accelerators and demand.beside not in candidates.gpu:
            best = candidates.cpu(demand, place, keep)
            pool = [] if best is None else _list_fewer(candidates, best, keep, kind=None)
            yield [(rank_usd(each, candidates.market), {demand.workload: each}) for each in pool] or [(NOTHING, {})]


def _list_with_beside(
    candidates: CandidateSet, leader: Candidate, beside: Sequence[Sequence[Candidate]]
) -> Iterator[Choice]:
    """What a leader costs with each choice of machines for the pools beside it, and that choice."""
    usd = rank_usd(leader, candidates.market)
    hours = hours_beside(leader.fit)
    priced = [[(rank_usd(with_hours(each, hours), candidates.market), each) for each in pool] for pool in beside]
    for pools in product(*priced):
        yield sum((each for each, _ in pools), start=usd), {each.demand.workload: each for _, each in pools}


def _list_fewer(candidates: CandidateSet, best: Candidate, keep: Keep, *, kind: PurchaseKind | None) -> list[Candidate]:
    """The best machines of a pool, then the cheapest of those that make fewer nodes, as long as there are any.

    Args:
        kind: of purchase, the same for all; None for the cheapest of every kind.
    """
    found = [best]
    while True:
        fewer = NodeLimit(keep, count_nodes(found[-1:]) - 1)
        smaller = candidates.cpu(best.demand, best.place, fewer, kind=kind)
        if smaller is None:
            return found
        found.append(smaller)


def _drop_dominated(candidates: CandidateSet, place: Place, sums: Iterable[Subtotal]) -> list[Subtotal]:
    """Sums in the order of the expected reading, each with less of the bound one than any before it.

    Or with fewer nodes, where the place bounds them.
    """
    bounds = candidates.buildable.bounds(place[0])

    def uses(one: Subtotal) -> tuple[Decimal, int]:
        return candidates.bound(one.usd), one.nodes if bounds else 0

    kept: list[Subtotal] = []
    used: list[tuple[Decimal, int]] = []
    for each in sorted(sums, key=lambda one: (one.usd.expected, *uses(one))):
        usd, nodes = uses(each)
        if not any(other <= usd and fewer <= nodes for other, fewer in used):
            kept.append(each)
            used.append((usd, nodes))
    return kept


def complete(
    candidates: CandidateSet, place: Place, leaders: Mapping[str, Candidate], keep: Keep
) -> ClusterPick | None:
    """The cluster around given accelerator pools, and around CPU pools of no more nodes than those given.

    None where a CPU demand other than the system's cannot be met, or where all nodes together find no addresses.
    """
    picked: list[Candidate] = []
    missing: list[Demand] = []
    nodes = NOTHING
    for demand in candidates.demands:
        best = _find_pool(candidates, place, demand, leaders, keep)
        if best is not None:
            picked.append(best)
            nodes += rank_usd(best, candidates.market)
        elif demand.kind == SYSTEM and candidates.cpu(demand, place, keep_all) is None:
            missing.append(demand)
            nodes += candidates.stand_in(demand)
        else:
            return None
    if not candidates.buildable.has_room(place[0], nodes=count_nodes(picked)):
        return None
    return ClusterPick(place, tuple(picked), tuple(missing), candidates.place_costs.total(place, nodes))


def count_nodes(candidates: Iterable[Candidate]) -> int:
    return sum(part.nodes for each in candidates for part in each.parts)


def _find_pool(
    candidates: CandidateSet, place: Place, demand: Demand, leaders: Mapping[str, Candidate], keep: Keep
) -> Candidate | None:
    """What meets one demand of a cluster; a candidate that workloads share becomes this demand's own."""
    leader = leaders.get(demand.workload)
    if leader is None:
        return candidates.cpu(with_leader_hours(demand, leaders), place, keep)
    if demand.accelerators:
        return leader if leader.demand is demand else leader._replace(demand=demand)
    return candidates.cpu(with_leader_hours(demand, leaders), place, NodeLimit(keep, count_nodes((leader,))))


def _usd_beside(leader: Candidate, pools: Iterable[Sequence[Candidate]], candidates: CandidateSet) -> Range:
    """USD of the pools that are up as long as a leader is, each bought as is cheapest for so many hours.

    Args:
        pools: of each, the best machines of each kind of purchase; none where nothing is on sale.
    """
    usd = NOTHING
    hours = hours_beside(leader.fit)
    for pool in pools:
        costs = (rank_usd(with_hours(each, hours), candidates.market) for each in pool)
        usd += min(costs, key=EXPECTED, default=NOTHING)
    return usd


def with_leader_hours(demand: Demand, leaders: Mapping[str, Candidate]) -> Demand:
    """The demand, up as long as the job it stands beside."""
    leader = leaders.get(demand.beside) if demand.beside else None
    return demand if leader is None else replace(demand, busy_hours=hours_beside(leader.fit))
