"""The views: orderings over one candidate set, each with what it admits.

Of all clusters the one of least expected cost that keeps as many of these conditions as can be kept, in this order:
it is within the ceiling; everything in it has a price; each run ends with a tenth of its deadline to spare; nothing
that must not stop is on machines that can be taken away; no price in it is in doubt.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from catalogs.model import PurchaseKind
from catalogs.offers import UNDATED
from catalogs.providers import find_traits
from planning.quoting.candidates.candidate import is_reserved, is_uninterrupted
from planning.quoting.candidates.extra_nodes import MARGIN
from planning.quoting.candidates.market import may_reserve
from planning.quoting.search.candidate_set import keep_all
from planning.quoting.search.least_cost import find_cheapest
from planning.quoting.search.least_time import find_fastest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from planning.quoting.candidates.candidate import Candidate
    from planning.quoting.candidates.market import Place
    from planning.quoting.search.candidate_set import CandidateSet
    from planning.quoting.search.least_cost import ClusterPick


MOST_DIFFERENCE_PERCENT: Final = 10  # between two sources of one price: above it the price is in doubt
STOPPABLE: Final = frozenset({"training", "fine_tuning", "batch"})  # a run that is interrupted goes on later
_DIFFER: Final = re.compile(r"sources differ by (\d+)%")


@dataclass(frozen=True, slots=True)
class Conditions:
    """What a cluster must keep to be recommended.

    Args:
        within: its bound reading is within the ceiling of a month.
    """

    within: bool = True
    priced: bool = True
    margin: bool = True
    steady: bool = True
    firm: bool = True

    def keeps(self, candidate: Candidate) -> bool:
        """Whether a candidate keeps the conditions that concern it."""
        if self.margin and not has_margin(candidate):
            return False
        if self.steady and not is_steady(candidate):
            return False
        return not self.firm or is_firm(candidate)


ALL: Final = Conditions()
ORDER: Final = ("within", "priced", "margin", "steady", "firm")


def find_recommended(candidates: CandidateSet) -> ClusterPick | None:
    """The recommended cluster; None where the set is empty."""
    pick = _find(candidates, ALL)
    if pick is not None:
        return pick
    kept = Conditions(**dict.fromkeys(ORDER, False))
    best = _find(candidates, kept)
    if best is None:
        return None
    for name in ORDER:
        tried = replace(kept, **{name: True})
        pick = _find(candidates, tried)
        if pick is not None:
            kept, best = tried, pick
    return best


def _find(candidates: CandidateSet, conditions: Conditions) -> ClusterPick | None:
    def admits(place: Place) -> bool:
        return not conditions.priced or candidates.place_costs.overhead(place).priced

    limit = candidates.limit if conditions.within else None
    return find_cheapest(candidates, conditions.keeps, only=admits, limit=limit, whole=conditions.priced)


def has_margin(candidate: Candidate) -> bool:
    """Whether a run ends with time to spare before its deadline."""
    hours, deadline = candidate.fit.hours_per_run, candidate.demand.deadline_hours
    return hours is None or deadline is None or hours <= deadline * MARGIN


def is_steady(candidate: Candidate) -> bool:
    """Whether nothing that must not stop is on machines that can be taken away."""
    return candidate.demand.kind in STOPPABLE or is_uninterrupted(candidate)


def is_firm(candidate: Candidate) -> bool:
    """Whether the prices of a candidate are dated and not contradicted by another source."""
    return not any(is_doubtful(flag) for part in candidate.parts for flag in part.offer.flags)


def is_doubtful(flag: str) -> bool:
    """Whether what weakens a price puts it in doubt: no date, or another source that says something else."""
    match = _DIFFER.match(flag)
    return flag == UNDATED or (match is not None and int(match[1]) > MOST_DIFFERENCE_PERCENT)


@dataclass(frozen=True, slots=True)
class View:
    """One goal.

    Args:
        why: what an option is chosen for, in the customer's words.
        find: the pick, or the reason why there is none.
    """

    why: str
    find: Callable[[CandidateSet], ClusterPick | str]


def _find_cheapest(candidates: CandidateSet) -> ClusterPick | str:
    return find_cheapest(candidates) or "nothing on sale satisfies the checklist"


def _find_recommended(candidates: CandidateSet) -> ClusterPick | str:
    return find_recommended(candidates) or "nothing on sale satisfies the checklist"


def _find_no_spot(candidates: CandidateSet) -> ClusterPick | str:
    return find_cheapest(candidates, is_uninterrupted) or "nothing but spot machines satisfies the checklist"


def _find_fastest(candidates: CandidateSet) -> ClusterPick | str:
    return find_fastest(candidates, limit=candidates.limit)


def _find_same_cloud(candidates: CandidateSet) -> ClusterPick | str:
    """On demand or reserved where that is sold, for spot machines may be there tomorrow or not."""
    main = candidates.checklist.main_cloud
    if main is None:
        return "the checklist names no main cloud"
    primary = (main.provider.value, main.region)
    for keep in (is_uninterrupted, keep_all):
        pick = find_cheapest(candidates, keep, only=lambda place: place == primary)
        if pick is not None:
            return pick
    return f"nothing that fits is on sale in {main.provider} {main.region}"


def _find_micro_cloud(candidates: CandidateSet) -> ClusterPick | str:
    pick = find_cheapest(candidates, only=lambda place: not find_traits(place[0]).is_hyperscaler)
    return pick or "nothing that fits is on sale outside AWS, Azure and Google Cloud"


def _find_committed(candidates: CandidateSet) -> ClusterPick | str:
    months = candidates.checklist.contract.months
    if months == 0:
        return "the checklist asks for no contract"
    reservable = {each.workload for each in candidates.demands if may_reserve(each, candidates.checklist)}

    def has_reserved_base(candidate: Candidate) -> bool:
        if candidate.demand.workload not in reservable or candidate.accelerator is None:
            return is_uninterrupted(candidate)
        return is_reserved(candidate)

    reserved = candidates.market.list_reserved_places(months)
    for keep in (has_reserved_base, is_uninterrupted):
        pick = find_cheapest(candidates, keep, only=reserved.__contains__, some=is_reserved)
        if pick is not None:
            return _explain_redundancy(candidates, pick) or pick
    return f"no price for {months} months is published for machines that are always on"


def _explain_redundancy(candidates: CandidateSet, pick: ClusterPick) -> str:
    """Why a pick that reserves no accelerator is no option of its own; "" where it is one."""
    if any(is_reserved(each) and each.accelerator is not None for each in pick.candidates):
        return ""
    ours = count_reserved(pick)
    for name, find in (("cheapest", _find_cheapest), ("no spot", _find_no_spot)):
        other = find(candidates)
        if other == pick or isinstance(other, str):
            return ""
        theirs = count_reserved(other)
        if all(nodes <= theirs.get(workload, 0) for workload, nodes in ours.items()):
            return f"it would reserve {', '.join(ours)} and no accelerator, which the {name} option does as well"
    return ""


def count_reserved(pick: ClusterPick) -> dict[str, int]:
    """Nodes that are reserved for the contract, by workload; without the workloads that have none."""
    nodes = {
        each.demand.workload: sum(part.nodes for part in each.parts if part.offer.term.kind is PurchaseKind.RESERVED)
        for each in pick.candidates
    }
    return {workload: count for workload, count in nodes.items() if count}


# In the order in which they claim one of the places in a quote.
VIEWS: Final[Mapping[str, View]] = {
    "recommended": View("the lowest expected cost that keeps most conditions of our rule", _find_recommended),
    "cheapest": View("the lowest expected monthly bill of a whole cluster", _find_cheapest),
    "no_spot": View("the lowest bill without spot machines", _find_no_spot),
    "same_cloud": View(
        "in the main cloud, next to the VPC, without spot machines where they can be had", _find_same_cloud
    ),
    "micro_cloud": View("the lowest bill outside AWS, Azure and Google Cloud", _find_micro_cloud),
    "committed": View("a reserved base for the contract, the rest autoscaled", _find_committed),
    "fastest": View("the shortest runs, or answers where nothing is trained, under the ceiling", _find_fastest),
}
