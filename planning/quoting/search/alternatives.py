"""When the views agree on fewer than three clusters: the next best that differ in provider, machine or purchase."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planning.quoting.search.candidate_set import anything
from planning.quoting.search.least_cost import anywhere, find_cheapest
from planning.quoting.search.selection import find_lead

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from catalogs.model import PurchaseKind
    from planning.quoting.candidates.candidate import Candidate
    from planning.quoting.search.candidate_set import CandidateSet, Keep
    from planning.quoting.search.least_cost import Only, Pick


def find_alternatives(candidates: CandidateSet, shown: Sequence[Pick]) -> Iterator[tuple[Pick, str]]:
    """The cheapest cluster by each way to differ from what is shown, and why it would be shown."""
    providers = {pick.place[0] for pick in shown}
    leads = [lead for pick in shown if (lead := find_lead(pick.candidates)) is not None]
    families = {(lead.demand.workload, _family(lead)) for lead in leads}
    purchases = {(lead.demand.workload, kind) for lead in leads for kind in _kinds(lead)}

    def is_other_family(each: Candidate) -> bool:
        return (each.demand.workload, _family(each)) not in families

    def is_other_purchase(each: Candidate) -> bool:
        return all((each.demand.workload, kind) not in purchases for kind in _kinds(each))

    goals: tuple[tuple[str, Keep, Only], ...] = (
        ("at another provider", anything, lambda place: place[0] not in providers),
        ("on other accelerators", is_other_family, anywhere),
        ("bought in another way", is_other_purchase, anywhere),
    )
    for words, keep, only in goals:
        pick = find_cheapest(candidates, keep, only=only)
        if pick is not None:
            yield pick, f"alternative: the cheapest {words}"


def _family(candidate: Candidate) -> str:
    return candidate.machine.name if candidate.accelerator is None else candidate.accelerator.family


def _kinds(candidate: Candidate) -> set[PurchaseKind]:
    return {part.offer.term.kind for part in candidate.parts}
