"""Chapters on what the money buys: TFLOPS against the market, and renting against buying."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cli.pages.quote.sheets import Chapter, Sheet, SheetCell, SheetRow, texts
from cli.terminal.amounts import number, percent, usd
from cli.views.quote.options import letter, option_title
from planning.quoting.quote_form import versus_big_three_percent, worth_by_pool

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from catalogs.model import Accelerator
    from cli.pages.quote.sheets import Notes
    from planning.quoting.price_performance import MarketRank, PoolMarketRank
    from planning.quoting.quote import Buying, Option, Quote

MARKET_HEAD: Final = (
    "option and pool",
    "accelerator",
    "peak TFLOPS",
    "USD for 1000 TFLOPS",
    "cheaper on sale",
    "USD a GPU-hour",
    "against hyperscalers on demand",
)


def market(
    quote: Quote, standings: Sequence[MarketRank], *, accelerators: Mapping[str, Accelerator], notes: Notes
) -> Iterator[Chapter]:
    if not standings:
        return
    rows = tuple(
        _standing_row(quote, standing, pool, accelerators=accelerators, notes=notes)
        for standing in standings
        for pool in standing.pools
    )
    yield Chapter(
        title="Price per TFLOP against the market",
        anchor="market",
        sentences=(
            *(SheetCell(_on_sale(each)) for each in standings),
            SheetCell(
                "Each counts where it is cheapest. Peaks are theoretical; What is assumed says the share reached."
            ),
            SheetCell("Further left is more work for the money.", tone="drawn"),
        ),
        charts=(*(f"market-{each.precision}" for each in standings), "rates"),
        sheets=(
            Sheet(
                head=MARKET_HEAD,
                rows=rows,
                numbers_from=2,
                wide=48,
                caption="Peaks are dense, of one accelerator, in the pool's precision; amounts are for an hour",
            ),
        ),
    )


def _on_sale(standing: MarketRank) -> str:
    providers = len({each.provider for each in standing.machines})
    return f"{standing.precision}: {len(standing.machines)} machines of {providers} providers have a price on demand."


def _standing_row(
    quote: Quote, standing: MarketRank, pool: PoolMarketRank, *, accelerators: Mapping[str, Accelerator], notes: Notes
) -> SheetRow:
    worth = worth_by_pool(quote.options[pool.at])[pool.pool]
    peak = SheetCell(
        f"{number(pool.peak_tflops)} {standing.precision}", notes.of(accelerators[pool.accelerator].source)
    )
    return SheetRow(
        (
            *texts(f"{letter(pool.at)}: {pool.pool}, {pool.purchase}", pool.accelerator),
            peak,
            *texts(
                usd(pool.usd),
                f"{pool.cheaper} of {len(standing.machines)}",
                usd(worth.usd_per_gpu_hour),
                percent(versus_big_three_percent(worth)),
            ),
        )
    )


def build_ownership_sheet(quote: Quote, notes: Notes) -> Iterator[Chapter]:
    bought = buyings(quote)
    if not bought:
        return
    rows = tuple(_owning_row(quote.options, buying, at, notes) for buying, every in bought for at in every)
    head = ("option", "servers bought", "USD a year, owned", "USD a year, rented", "buying is cheaper")
    yield Chapter(
        title="Rent or buy",
        anchor="buying",
        sentences=texts(
            "Total spent by each month. Owned: servers of 8 accelerators, bought at the start, housed, "
            "repaired and looked after, sold in the last month. Rented: the option's accelerator pools in the expected "
            "month."
        ),
        charts=tuple(f"buying-{letter(every[0])}" for _, every in bought),
        sheets=(Sheet(head=head, rows=rows, numbers_from=1, wide=36),),
    )


def buyings(quote: Quote) -> tuple[tuple[Buying, tuple[int, ...]], ...]:
    found: dict[Buying, list[int]] = {}
    for at, option in enumerate(quote.options):
        if option.buying is not None:
            found.setdefault(option.buying, []).append(at)
    return tuple((buying, tuple(every)) for buying, every in found.items())


def _owning_row(options: Sequence[Option], buying: Buying, at: int, notes: Notes) -> SheetRow:
    month = buying.break_even_month
    return SheetRow(
        (
            SheetCell(option_title(at, options[at])),
            SheetCell(str(buying.servers)),
            SheetCell(usd(buying.usd_per_year), notes.of(buying.source)),
            SheetCell(usd(buying.rent_usd_per_year)),
            SheetCell(f"from month {month}" if month else "not within 3 years"),
        )
    )
