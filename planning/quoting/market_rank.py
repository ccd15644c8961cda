"""Where the pools of a quote stand on the market: USD per hour for 1000 TFLOPS against every machine on sale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from planning.quoting.compute_price import worth_of_machines
from planning.quoting.price_performance import DEFAULT_PRECISION

if TYPE_CHECKING:
    from collections.abc import Iterator
    from decimal import Decimal

    from catalogs.catalog import Catalog
    from planning.checklist.model.checklist import Checklist
    from planning.quoting.compute_price import Worth
    from planning.quoting.quote import Option, Quote


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolStanding:
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
class Standing:
    """One precision: peaks of different precisions may not be compared.

    Args:
        machines: every machine that has a price on demand, where it is cheapest; least USD first.
    """

    precision: str
    machines: tuple[Worth, ...]
    pools: tuple[PoolStanding, ...]


def standings(quote: Quote, checklist: Checklist, catalog: Catalog) -> tuple[Standing, ...]:
    """One for each precision that a pool with a known peak works in."""
    used = _precisions(checklist)
    found = tuple((used.get(name, DEFAULT_PRECISION), pool) for name, pool in _pools(quote, catalog, used))
    return tuple(
        _standing(precision, [pool for name, pool in found if name == precision], catalog)
        for precision in dict.fromkeys(name for name, _ in found)
    )


def _precisions(checklist: Checklist) -> dict[str | None, str]:
    """Of each workload by its name."""
    return {each.name: str(getattr(each, "precision", DEFAULT_PRECISION)) for each in checklist.workloads}


def _pools(quote: Quote, catalog: Catalog, used: dict[str | None, str]) -> Iterator[tuple[str | None, PoolStanding]]:
    for at, option in enumerate(quote.options):
        yield from _pools_of(option, at, catalog, used)


def _pools_of(
    option: Option, at: int, catalog: Catalog, used: dict[str | None, str]
) -> Iterator[tuple[str | None, PoolStanding]]:
    worth = {each.pool: each.usd_per_1000_tflops_hour for each in option.worth}
    for pool in (pool for each in option.placements for pool in each.pools):
        usd = worth.get(pool.name)
        known = catalog.accelerators.get(pool.accelerator or "")
        peak = known.tflops.get(used.get(pool.workload, DEFAULT_PRECISION)) if known else None
        if usd is None or known is None or peak is None:
            continue
        yield (
            pool.workload,
            PoolStanding(
                at=at,
                pool=pool.name,
                accelerator=known.name,
                purchase=pool.purchase.replace("_", " "),
                peak_tflops=peak,
                usd=usd,
                cheaper=0,
            ),
        )


def _standing(precision: str, pools: list[PoolStanding], catalog: Catalog) -> Standing:
    machines: dict[tuple[str, str], Worth] = {}
    for each in worth_of_machines(catalog, precision=precision):
        machines.setdefault((each.provider, each.machine), each)
    rates = [each.usd_per_1000_tflops_hour for each in machines.values()]
    return Standing(
        precision=precision,
        machines=tuple(machines.values()),
        pools=tuple(_counted(pool, rates) for pool in pools),
    )


def _counted(pool: PoolStanding, rates: list[Decimal]) -> PoolStanding:
    return PoolStanding(
        at=pool.at,
        pool=pool.pool,
        accelerator=pool.accelerator,
        purchase=pool.purchase,
        peak_tflops=pool.peak_tflops,
        usd=pool.usd,
        cheaper=sum(rate < pool.usd for rate in rates),
    )
