"""What is due on the first day: terms that are paid up front, of which the bill of a month holds only that month."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from planning.checklist.model.vocabulary import HOME
from planning.values.money import HOURS_PER_MONTH, ZERO, Range

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from catalogs.model import Term
    from planning.spec.cluster import ClusterSpec, Pool

# Share of the whole price. Partly: between 50 and 99 percent (AWS Savings Plans API, CreateSavingsPlan,
# upfrontPaymentAmount, 2026-11-23); of a Reserved Instance its offering says which. Unknown: nothing to all of it.
SHARES: Final[Mapping[str, tuple[str, str, str]]] = {
    "all": ("1", "1", "1"),
    "partial": ("0.5", "0.5", "0.99"),
    "unknown": ("0", "0", "1"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Upfront:
    """What one pool's purchase asks for on its first day.

    Args:
        placement: index of the cluster.
        pool: index of the pool in it.
        term: what the purchase means.
        usd: the part that is due; where it is not published, from nothing to all.
    """

    placement: int
    pool: int
    term: Term
    usd: Range


def list_upfront(
    placements: Sequence[ClusterSpec],
    prices: Mapping[str, Decimal],
    *,
    term_of: Callable[[str, str], Term | None],
) -> Iterator[Upfront]:
    """Every pool of which something is paid before it is used; those without a price are left out.

    It is information beside the bill: each month of the bill already holds its part of the term.

    Args:
        prices: USD of a node for an hour, by the key of the pool's line: "pool/train/machine".
        term_of: what a purchase means, by provider and word.
    """
    for at, spec in enumerate(placements):
        prefix = "" if spec.placement.name == HOME else f"{spec.placement.name}/"
        for number, pool in enumerate(spec.pools):
            term, usd = term_of(spec.placement.provider, pool.purchase), prices.get(f"{prefix}pool/{pool.name}/machine")
            if term is None or usd is None or (term.months == 0 and term.upfront != "all"):
                continue
            share = SHARES.get(term.upfront)
            if share is not None:
                whole = usd * _hours(pool, term)
                due = Range(*(whole * Decimal(each) for each in share))
                yield Upfront(placement=at, pool=number, term=term, usd=due)


def _hours(pool: Pool, term: Term) -> Decimal:
    """Node hours that are committed to: of the whole term, else of the month that is booked."""
    if term.months:
        return pool.max_nodes * HOURS_PER_MONTH * term.months
    return max(pool.node_hours.expected, ZERO)
