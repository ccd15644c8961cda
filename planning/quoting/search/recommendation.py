"""The written rule by which one option of a quote is recommended (docs/decisions/0034-one-candidate-set.md).

Of all clusters the one of least expected cost that keeps as many of these conditions as can be kept, in this order:
it is within the ceiling; everything in it has a price; each run ends with a tenth of its deadline to spare; nothing
that must not stop is on machines that can be taken away; no price in it is in doubt.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from catalogs.offers import UNDATED
from planning.quoting.candidates.extra_nodes import MARGIN
from planning.quoting.candidates.purchases import is_uninterrupted
from planning.quoting.search.least_cost import find_cheapest

if TYPE_CHECKING:
    from planning.quoting.candidates.candidate import Candidate
    from planning.quoting.candidates.market import Place
    from planning.quoting.search.candidate_set import CandidateSet
    from planning.quoting.search.least_cost import Pick

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


def find_recommended(candidates: CandidateSet) -> Pick | None:
    """The recommended cluster; None where the set is empty."""
    pick = _find(candidates, ALL)
    if pick is not None:
        return pick
    kept = Conditions(**dict.fromkeys(ORDER, False))
    best = _find(candidates, kept)
    if best is None:
        return None
    for name in ORDER:
        tried = _with_condition(kept, name)
        pick = _find(candidates, tried)
        if pick is not None:
            kept, best = tried, pick
    return best


def _with_condition(kept: Conditions, name: str) -> Conditions:
    return Conditions(**{each: getattr(kept, each) or each == name for each in ORDER})


def _find(candidates: CandidateSet, conditions: Conditions) -> Pick | None:
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
