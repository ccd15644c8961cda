"""What accelerators cost for what they do: per hour, per 1000 TFLOPS, against the hyperscalers, against buying.

The table of "ML: A Hardware Perspective" (28 January 2025) counts 2,200 TFLOPS for 8 A100 and 7,120 for 8 H100, TF32
with sparsity, so the peak is always an argument: figures over different peaks may not be compared.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from catalogs.model import PurchaseKind
from catalogs.providers import find_traits
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
from planning.quoting.quote import Buying, PoolWorth
from planning.values.money import ZERO

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from decimal import Decimal

    from catalogs.catalog import Catalog
    from catalogs.model import Accelerator, Offer
    from planning.checklist.model.checklist import Checklist
    from planning.quoting.candidates.candidate import Candidate, OfferShare
    from planning.quoting.candidates.market import Market
    from planning.quoting.quote import Option, Quote


TFLOPS: Final = 1000


def usd_per_1000_tflops(*, usd_per_hour: Decimal, tflops: Decimal | int) -> Decimal:
    """USD per hour for 1000 TFLOPS of a machine that costs `usd_per_hour` and peaks at `tflops` in all.

    Raises:
        ValueError: a peak that is not positive.
    """
    if tflops <= 0:
        raise ValueError(f"a peak is positive: {tflops}")
    return usd_per_hour * TFLOPS / tflops


def usd_per_1000_tflops_of(*, usd_per_hour: Decimal, peak: Decimal | None, accelerators: int) -> Decimal | None:
    """The same from the peak of one accelerator; None where it is not known or there is none."""
    if not peak or not accelerators:
        return None
    return usd_per_1000_tflops(usd_per_hour=usd_per_hour, tflops=peak * accelerators)


@dataclass(frozen=True, slots=True, kw_only=True)
class Worth:
    """USD per hour for 1000 TFLOPS of one machine, bought on demand."""

    provider: str
    machine: str
    accelerator: str
    region: str
    usd_per_hour: Decimal
    usd_per_1000_tflops_hour: Decimal


def worth_of_machines(catalog: Catalog, *, precision: str) -> tuple[Worth, ...]:
    """Every GPU machine on demand by what 1000 TFLOPS of it cost, least first.

    Peaks are dense, as the catalog has them; a dated book whose own text has other peaks keeps those.
    """
    found = (_worth(catalog, offer, precision) for offer in catalog.offers(accelerated=True))
    return tuple(sorted((each for each in found if each), key=lambda each: each.usd_per_1000_tflops_hour))


def _worth(catalog: Catalog, offer: Offer, precision: str) -> Worth | None:
    machine = offer.machine
    if offer.term.kind is not PurchaseKind.ON_DEMAND or machine.accelerator is None:
        return None
    peak = _peak(catalog, catalog.accelerators[machine.accelerator], precision)
    usd = usd_per_1000_tflops_of(usd_per_hour=offer.price.usd, peak=peak, accelerators=machine.accelerators)
    if usd is None:
        return None
    return Worth(
        provider=machine.provider,
        machine=machine.name,
        accelerator=machine.accelerator,
        region=offer.region,
        usd_per_hour=offer.price.usd,
        usd_per_1000_tflops_hour=usd,
    )


def _peak(catalog: Catalog, accelerator: Accelerator, precision: str) -> Decimal | None:
    nominal = catalog.nominals.get(accelerator.family)
    if nominal is not None and nominal.precision == precision:
        return nominal.tflops / nominal.accelerators
    return accelerator.tflops.get(precision)


DEFAULT_PRECISION: Final = "bf16"
PER_SERVER: Final = 8  # accelerators of the servers that Ntropy prices (`planning.costs.tco`)
BULK_SERVERS: Final = 6  # the number for which that text reckons with the discount
SERVERS: Final[Mapping[str, ServerCosts]] = {"A100": A100_SERVER, "H100": H100_SERVER}


def pool_worth(candidate: Candidate, part: OfferShare, *, pool: str, market: Market) -> PoolWorth:
    usd = part.offer.price.usd
    count = candidate.machine.accelerators
    return PoolWorth(
        pool=pool,
        usd_per_hour=usd,
        usd_per_gpu_hour=usd / count if count else None,
        usd_per_1000_tflops_hour=_per_1000_tflops(candidate, usd),
        big_three_usd_per_gpu_hour=find_hyperscaler_price(candidate.machine.accelerator, market) if count else None,
        flags=part.offer.flags,
    )


def _per_1000_tflops(candidate: Candidate, usd: Decimal) -> Decimal | None:
    if candidate.accelerator is None:
        return None
    peak = candidate.accelerator.tflops.get(candidate.demand.precision or DEFAULT_PRECISION)
    return usd_per_1000_tflops_of(usd_per_hour=usd, peak=peak, accelerators=candidate.machine.accelerators)


def find_hyperscaler_price(accelerator: str | None, market: Market) -> Decimal | None:
    """Least USD per hour of one such accelerator on demand at AWS, GCP or Azure; None: none of them prices it."""
    if accelerator not in market.big_three:
        found = (
            offer.price.usd / stock.machine.accelerators
            for stock in market.stocks
            if stock.machine.accelerator == accelerator and find_traits(stock.machine.provider).is_hyperscaler
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


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolMarketRank:
    """One pool of an option.

    Args:
        at: place of the option in the quote, from 0.
        peak_tflops: of one accelerator, dense.
        cheaper: machines on sale that cost less per TFLOP.
    """

    at: int
    pool: str
    accelerator: str
    purchase: str
    peak_tflops: Decimal
    usd: Decimal
    cheaper: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MarketRank:
    """One precision: peaks of different precisions may not be compared.

    Args:
        machines: every machine that has a price on demand, where it is cheapest; least USD first.
    """

    precision: str
    machines: tuple[Worth, ...]
    pools: tuple[PoolMarketRank, ...]


def standings(quote: Quote, checklist: Checklist, catalog: Catalog) -> tuple[MarketRank, ...]:
    """One for each precision that a pool with a known peak works in."""
    used: dict[str | None, str] = {
        each.name: str(getattr(each, "precision", DEFAULT_PRECISION)) for each in checklist.workloads
    }
    pools = (named for at, option in enumerate(quote.options) for named in _pools_of(option, at, catalog, used))
    found = tuple((used.get(name, DEFAULT_PRECISION), pool) for name, pool in pools)
    return tuple(
        _standing(precision, [pool for name, pool in found if name == precision], catalog)
        for precision in dict.fromkeys(name for name, _ in found)
    )


def _pools_of(
    option: Option, at: int, catalog: Catalog, used: dict[str | None, str]
) -> Iterator[tuple[str | None, PoolMarketRank]]:
    worth = {each.pool: each.usd_per_1000_tflops_hour for each in option.worth}
    for pool in (pool for each in option.placements for pool in each.pools):
        usd = worth.get(pool.name)
        known = catalog.accelerators.get(pool.accelerator or "")
        peak = known.tflops.get(used.get(pool.workload, DEFAULT_PRECISION)) if known else None
        if usd is None or known is None or peak is None:
            continue
        yield (
            pool.workload,
            PoolMarketRank(
                at=at,
                pool=pool.name,
                accelerator=known.name,
                purchase=pool.purchase.replace("_", " "),
                peak_tflops=peak,
                usd=usd,
                cheaper=0,
            ),
        )


def _standing(precision: str, pools: list[PoolMarketRank], catalog: Catalog) -> MarketRank:
    machines: dict[tuple[str, str], Worth] = {}
    for each in worth_of_machines(catalog, precision=precision):
        machines.setdefault((each.provider, each.machine), each)
    rates = [each.usd_per_1000_tflops_hour for each in machines.values()]
    return MarketRank(
        precision=precision,
        machines=tuple(machines.values()),
        pools=tuple(replace(pool, cheaper=sum(rate < pool.usd for rate in rates)) for pool in pools),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnershipCosts:
    """USD in all by the end of each month, from month 0, in which servers are bought and nothing is rented yet."""

    rented: tuple[Decimal, ...]
    owned: tuple[Decimal, ...]


def compare_ownership(buying: Buying) -> OwnershipCosts | None:
    """Both ways as long as the servers are kept; None where the cost of the servers is unknown.

    The servers are sold in the last month, as in `planning.costs.tco.break_even_month`.
    """
    costs = costs_of(buying)
    if costs is None:
        return None
    discount = BULK_DISCOUNT if buying.servers >= BULK_SERVERS else NO_DISCOUNT
    months = range(costs.years * MONTHS_PER_YEAR + 1)
    bought = buying.servers * costs.price * (1 - discount)
    owned = [bought + costs.compute_yearly_cost(buying.servers) * month / MONTHS_PER_YEAR for month in months]
    owned[-1] -= buying.servers * costs.resale
    return OwnershipCosts(
        rented=tuple(buying.rent_usd_per_year * month / MONTHS_PER_YEAR for month in months), owned=tuple(owned)
    )


def costs_of(buying: Buying) -> ServerCosts | None:
    return next((each for each in SERVERS.values() if each.source == buying.source), None)
