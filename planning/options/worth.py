"""What accelerators cost for what they do: per hour, per 1000 TFLOPS, against the big three, against buying."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from catalogs.model import PurchaseKind
from planning.money import HOURS_PER_MONTH, ZERO
from planning.quote import Buying, PoolWorth

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planning.options.candidate import Candidate, Part
    from planning.options.market import Market

BIG_THREE: Final = frozenset({"aws", "gcp", "azure"})
DEFAULT_PRECISION: Final = "bf16"
PER: Final = Decimal(1000)


def pool_worth(candidate: Candidate, part: Part, *, market: Market) -> PoolWorth:
    """The worth of one pool's accelerators."""
    usd = part.offer.price.usd
    count = candidate.machine.accelerators
    return PoolWorth(
        pool=candidate.demand.workload,
        usd_per_hour=usd,
        usd_per_gpu_hour=usd / count if count else None,
        usd_per_1000_tflops_hour=_per_1000_tflops(candidate, usd),
        big_three_usd_per_gpu_hour=big_three(candidate.machine.accelerator, market) if count else None,
        flags=part.offer.flags,
    )


def _per_1000_tflops(candidate: Candidate, usd: Decimal) -> Decimal | None:
    if candidate.accelerator is None:
        return None
    precision = candidate.demand.precision or DEFAULT_PRECISION
    peak = candidate.accelerator.tflops.get(precision)
    return usd * PER / (peak * candidate.machine.accelerators) if peak else None


def big_three(accelerator: str | None, market: Market) -> Decimal | None:
    """Least USD per hour of one such accelerator on demand at AWS, GCP or Azure; None: none of them prices it."""
    if accelerator not in market.big_three:
        found = (
            offer.price.usd / stock.machine.accelerators
            for stock in market.stocks
            if stock.machine.accelerator == accelerator and stock.machine.provider in BIG_THREE
            for offer in stock.offers
            if offer.term.kind is PurchaseKind.ON_DEMAND
        )
        market.big_three[accelerator] = min(found, default=None)
    return market.big_three[accelerator]


def buying(candidates: Sequence[Candidate]) -> Buying | None:
    """Buying instead of renting; None until the purchase price of the accelerator is known."""
    del candidates
    return None


def rent_usd_per_year(candidates: Sequence[Candidate]) -> Decimal:
    """What the GPU pools of an option rent for in a year, as expected."""
    months = Decimal(12)
    return sum((each.machine_usd.expected * months for each in candidates if each.accelerator), start=ZERO)


_ = HOURS_PER_MONTH
