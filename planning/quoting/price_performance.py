"""What accelerators cost for what they do: per hour, per 1000 TFLOPS, against the big three, against buying."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.model import PurchaseKind
from planning.costs.tco import (
    A100_SERVER,
    BULK_DISCOUNT,
    H100_SERVER,
    MONTHS_PER_YEAR,
    NO_DISCOUNT,
    ServerCosts,
    break_even_month_of,
    usd_per_year,
)
from planning.quoting.compute_price import usd_per_1000_tflops_of
from planning.quoting.quote import Buying, PoolWorth
from planning.values.money import ZERO

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from decimal import Decimal

    from planning.quoting.candidates.candidate import Candidate, Part
    from planning.quoting.candidates.market import Market

BIG_THREE: Final = frozenset({"aws", "gcp", "azure"})
DEFAULT_PRECISION: Final = "bf16"
PER_SERVER: Final = 8  # accelerators of the servers that Ntropy prices (`planning.costs.tco`)
BULK_SERVERS: Final = 6  # the number for which that text reckons with the discount
SERVERS: Final[Mapping[str, ServerCosts]] = {"A100": A100_SERVER, "H100": H100_SERVER}


def pool_worth(candidate: Candidate, part: Part, *, pool: str, market: Market) -> PoolWorth:
    """The worth of one pool's accelerators."""
    usd = part.offer.price.usd
    count = candidate.machine.accelerators
    return PoolWorth(
        pool=pool,
        usd_per_hour=usd,
        usd_per_gpu_hour=usd / count if count else None,
        usd_per_1000_tflops_hour=_per_1000_tflops(candidate, usd),
        big_three_usd_per_gpu_hour=big_three(candidate.machine.accelerator, market) if count else None,
        flags=part.offer.flags,
    )


def _per_1000_tflops(candidate: Candidate, usd: Decimal) -> Decimal | None:
    if candidate.accelerator is None:
        return None
    peak = candidate.accelerator.tflops.get(candidate.demand.precision or DEFAULT_PRECISION)
    return usd_per_1000_tflops_of(usd_per_hour=usd, peak=peak, accelerators=candidate.machine.accelerators)


def big_three(accelerator: str | None, market: Market) -> Decimal | None:
    """Least USD per hour of one such accelerator on demand at AWS, GCP or Azure; None: none of them prices it."""
    if accelerator not in market.big_three:
        found = (
            offer.price.usd / stock.machine.accelerators
            for stock in market.stocks
            if stock.machine.accelerator == accelerator and stock.machine.provider in BIG_THREE
            for region in stock.regions
            for offer in stock.offers(region)
            if offer.term.kind is PurchaseKind.ON_DEMAND
        )
        market.big_three[accelerator] = min(found, default=None)
    return market.big_three[accelerator]


def buying(candidates: Sequence[Candidate]) -> Buying | None:
    """Owning as many accelerators of the same family instead; None where no purchase price is known.

    Only an option whose GPU pools are all of one family is compared: prices of servers are known for few families.
    """
    pools = [each for each in candidates if each.accelerator is not None]
    families = {each.accelerator.family for each in pools if each.accelerator is not None}
    costs = SERVERS.get(next(iter(families))) if len(families) == 1 else None
    if costs is None:
        return None
    accelerators = sum(each.machine.accelerators * part.nodes for each in pools for part in each.parts)
    servers = -(-accelerators // PER_SERVER)
    discount = BULK_DISCOUNT if servers >= BULK_SERVERS else NO_DISCOUNT
    rent = sum((each.machine_usd.expected for each in pools), start=ZERO)
    return Buying(
        servers=servers,
        usd_per_year=usd_per_year(costs, servers=servers, bulk_discount=discount),
        rent_usd_per_year=rent * MONTHS_PER_YEAR,
        break_even_month=break_even_month_of(costs, servers=servers, rent_per_month=rent, bulk_discount=discount),
        source=costs.source,
    )
