"""Why a candidate set is empty, in the customer's words."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from planning.sizing.demand import Misfit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from catalogs.model import Offer
    from planning.quoting.search.candidate_set import CandidateSet
    from planning.sizing.demand import Demand


def count_closed(candidates: CandidateSet) -> Counter[str]:
    """How many places each reason closes, where no place at all is open; empty otherwise.

    Of places that were asked for, where there are any: that others were not wanted is what the customer said.
    """
    regions, wanted = candidates.market.catalog.regions, candidates.checklist.where.wanted
    places = [place for place in regions if place[0] in wanted] or list(regions)
    reasons = [reason for place in places if (reason := candidates.refusal(place))]
    return Counter(reasons) if len(reasons) == len(places) else Counter()


def explain_unbought(candidates: CandidateSet) -> str:
    """What of the machines that fit at open places cannot be had: ways to buy, or addresses; "" for nothing."""
    for demand in candidates.demands:
        if demand.accelerators and not candidates.gpu[demand.workload]:
            sold = {offer.term.kind.value for offer in _list_fitting(candidates, demand)}
            if sold and not sold & {kind.value for kind in candidates.permits[demand.workload].kinds}:
                how = " or ".join(sorted(sold)).replace("_", " ")
                return (
                    f"machines that fit {demand.workload} are sold {how} only; what may be bought follows from "
                    "contract.months, contract.reserve, spot and hardware.purchase"
                )
    return "; ".join(candidates.buildable.crowded.values())


def _list_fitting(candidates: CandidateSet, demand: Demand) -> Iterator[Offer]:
    for stock in candidates.market.stocks:
        if not isinstance(candidates.sits(demand, stock), Misfit):
            provider = stock.machine.provider
            open_regions = (region for region in stock.regions if candidates.admits((provider, region)))
            yield from (offer for region in open_regions for offer in stock.offers(region))
