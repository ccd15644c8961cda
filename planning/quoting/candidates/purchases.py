"""Every way to buy the nodes of a demand on one machine type."""

from __future__ import annotations

from dataclasses import replace
from math import ceil
from typing import TYPE_CHECKING, Final

from catalogs.model import PurchaseKind
from planning.quoting.candidates.candidate import sold_as, split, whole
from planning.sizing.demand import Misfit
from planning.sizing.machines.fit import fit
from planning.sizing.machines.rejection_reasons import MONTH_TOO_SHORT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from catalogs.model import Offer, Price
    from planning.quoting.candidates.candidate import Candidate
    from planning.quoting.candidates.market import Stock
    from planning.sizing.demand import Demand, Fit

INTERRUPTIBLE: Final = frozenset({PurchaseKind.SPOT, PurchaseKind.FLEX})


def is_uninterrupted(candidate: Candidate) -> bool:
    """Whether nothing of it can be taken away while it runs."""
    return all(part.offer.term.kind not in INTERRUPTIBLE for part in candidate.parts)


def is_reserved(candidate: Candidate) -> bool:
    """Whether any of it is reserved for the contract."""
    return any(part.offer.term.kind is PurchaseKind.RESERVED for part in candidate.parts)


def in_time(candidate: Candidate) -> Candidate | None:
    """The candidate, or the same offer on more nodes where interruptions would make a run late; None where none do.

    Interruptions undo about as many node hours on any number of nodes, so that what they leave of the time bounds it.
    """
    if candidate.fit.hours_per_run is None:
        return candidate
    demand, offer = candidate.demand, candidate.parts[0].offer
    most = min((each for each in (demand.deadline_hours, demand.most_hours_per_run) if each is not None), default=None)
    found = candidate
    while most is not None and found.fit.hours_per_run is not None and found.fit.hours_per_run > most:
        sits, left = found.fit, most - (found.fit.hours_per_run - found.fit.work_hours)
        least = ceil(sits.working * sits.work_hours / left) if left > 0 else 0
        more = (
            fit(demand, found.machine, found.accelerator, nodes=max(sits.working + 1, least))
            if least
            else MONTH_TOO_SHORT
        )
        if isinstance(more, Misfit):
            return None
        more = replace(more, is_least=candidate.fit.is_least)
        found = whole(demand, more, offer, found.accelerator, fallback=candidate.parts[0].fallback)
    return found


def list_purchases(
    demand: Demand,
    sits: Fit,
    offers: Sequence[Offer],
    stock: Stock,
    *,
    fallback: Callable[[Offer], Price | None],
) -> Iterator[Candidate]:
    """Every way to buy the nodes: one offer for all, or a reserved base with a burst beside it."""
    plain: dict[str, list[Offer]] = {}
    first: dict[PurchaseKind, Candidate | None] = {}
    for offer in offers:
        kind = offer.term.kind
        if kind not in first:
            first[kind] = in_time(whole(demand, sits, offer, stock.accelerator))
        made = first[kind]
        if made is not None:
            yield sold_as(made, offer, fallback=fallback(offer))
        if kind is not PurchaseKind.RESERVED:
            plain.setdefault(offer.region, []).append(offer)
    if not 0 < sits.min_nodes < sits.working + sits.spares:
        return
    for base in offers:
        if base.term.kind is PurchaseKind.RESERVED:
            for burst in plain.get(base.region, ()):
                yield split(
                    demand,
                    sits,
                    base=base,
                    burst=burst,
                    accelerator=stock.accelerator,
                    fallback=fallback(burst),
                )
