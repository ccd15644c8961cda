"""The views: orderings over one candidate set, each with what it admits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from catalogs.model import PurchaseKind
from planning.quoting.candidates.eligibility import may_reserve
from planning.quoting.candidates.purchases import is_reserved, is_uninterrupted
from planning.quoting.search.candidate_set import anything
from planning.quoting.search.least_cost import find_cheapest
from planning.quoting.search.least_time import find_fastest
from planning.quoting.search.recommendation import find_recommended

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from planning.quoting.candidates.candidate import Candidate
    from planning.quoting.search.candidate_set import CandidateSet
    from planning.quoting.search.least_cost import Pick

HYPERSCALERS: Final = frozenset({"aws", "azure", "gcp"})


@dataclass(frozen=True, slots=True)
class View:
    """One goal.

    Args:
        why: what an option is chosen for, in the customer's words.
        find: the pick, or the reason why there is none.
    """

    why: str
    find: Callable[[CandidateSet], Pick | str]


def _find_cheapest(candidates: CandidateSet) -> Pick | str:
    return find_cheapest(candidates) or "nothing on sale satisfies the checklist"


def _find_recommended(candidates: CandidateSet) -> Pick | str:
    return find_recommended(candidates) or "nothing on sale satisfies the checklist"


def _find_no_spot(candidates: CandidateSet) -> Pick | str:
    return find_cheapest(candidates, is_uninterrupted) or "nothing but spot machines satisfies the checklist"


def _find_fastest(candidates: CandidateSet) -> Pick | str:
    return find_fastest(candidates, limit=candidates.limit)


def _find_same_cloud(candidates: CandidateSet) -> Pick | str:
    """On demand or reserved where that is sold, for spot machines may be there tomorrow or not."""
    main = candidates.checklist.main_cloud
    if main is None:
        return "the checklist names no main cloud"
    primary = (main.provider.value, main.region)
    for keep in (is_uninterrupted, anything):
        pick = find_cheapest(candidates, keep, only=lambda place: place == primary)
        if pick is not None:
            return pick
    return f"nothing that fits is on sale in {main.provider} {main.region}"


def _find_micro_cloud(candidates: CandidateSet) -> Pick | str:
    pick = find_cheapest(candidates, only=lambda place: place[0] not in HYPERSCALERS)
    return pick or "nothing that fits is on sale outside AWS, Azure and Google Cloud"


def _find_committed(candidates: CandidateSet) -> Pick | str:
    months = candidates.checklist.contract.months
    if months == 0:
        return "the checklist asks for no contract"
    reservable = {each.workload for each in candidates.demands if may_reserve(each, candidates.checklist)}

    def has_reserved_base(candidate: Candidate) -> bool:
        if candidate.demand.workload not in reservable or candidate.accelerator is None:
            return is_uninterrupted(candidate)
        return is_reserved(candidate)

    reserved = candidates.market.reserved_places(months)
    for keep in (has_reserved_base, is_uninterrupted):
        pick = find_cheapest(candidates, keep, only=reserved.__contains__, some=is_reserved)
        if pick is not None:
            return _explain_redundancy(candidates, pick) or pick
    return f"no price for {months} months is published for machines that are always on"


def _explain_redundancy(candidates: CandidateSet, pick: Pick) -> str:
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


def count_reserved(pick: Pick) -> dict[str, int]:
    """Nodes that are reserved for the contract, by workload; without the workloads that have none."""
    nodes = {each.demand.workload: _count_reserved(each) for each in pick.candidates}
    return {workload: count for workload, count in nodes.items() if count}


def _count_reserved(candidate: Candidate) -> int:
    return sum(part.nodes for part in candidate.parts if part.offer.term.kind is PurchaseKind.RESERVED)


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
