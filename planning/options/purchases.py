"""Every way to buy the nodes of a demand on one machine type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.model import PurchaseKind
from planning.options.candidate import split, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from catalogs.model import Offer, Price
    from planning.demand import Demand, Fit
    from planning.options.candidate import Candidate
    from planning.options.market import Stock

INTERRUPTIBLE: Final = frozenset({PurchaseKind.SPOT, PurchaseKind.FLEX})


def is_uninterrupted(candidate: Candidate) -> bool:
    """Whether nothing of it can be taken away while it runs."""
    return all(part.offer.term.kind not in INTERRUPTIBLE for part in candidate.parts)


def is_reserved(candidate: Candidate) -> bool:
    """Whether any of it is reserved for the contract."""
    return any(part.offer.term.kind is PurchaseKind.RESERVED for part in candidate.parts)


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
    for offer in offers:
        yield whole(demand, sits, offer, stock.accelerator, fallback=fallback(offer))
        if offer.term.kind is not PurchaseKind.RESERVED:
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
