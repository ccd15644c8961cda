"""Chapters that compare the options of a quote: side by side, by line, by time, by TFLOP, and against buying."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cli.pages.quote.sheets import chapter, find_note, sheet, texts
from cli.terminal.amounts import NOT_KNOWN, days, duration, mark, number, percent, readings, usd
from cli.views.quote.options import (
    describe_verdict,
    format_month_without_release,
    lead_worth,
    letter,
    option_title,
    views,
    where,
)
from planning.checklist.model.workload import Compute
from planning.costs.bill import Bill, BillGroup
from planning.costs.bill import total as sum_of
from planning.documents.figures import cite
from planning.spec.lock_content import State

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from decimal import Decimal

    from catalogs.catalog import Catalog
    from planning.checklist.model.checklist import Checklist
    from planning.costs.bill import LineItem
    from planning.documents.blocks import Block
    from planning.documents.figures import Sentence
    from planning.quoting.price_performance import MarketRank, PoolMarketRank
    from planning.quoting.quote import Buying, Option, Quote, RunEstimate

    Row = tuple[Sentence, ...]


MARKET_HEAD: Final = (
    "option and pool",
    "accelerator",
    "peak TFLOPS",
    "USD for 1000 TFLOPS",
    "cheaper on sale",
    "USD a GPU-hour",
    "against hyperscalers on demand",
)


def market(quote: Quote, standings: Sequence[MarketRank], catalog: Catalog) -> Iterator[Block]:
    if not standings:
        return
    rows = [_standing_row(quote, standing, pool, catalog) for standing in standings for pool in standing.pools]
    yield from chapter(
        "Price per TFLOP against the market",
        "market",
        *(cite(_on_sale(each)) for each in standings),
        cite("Each counts where it is cheapest. Peaks are theoretical; What is assumed says the share reached."),
        cite("Further left is more work for the money.", tone="drawn"),
        is_drawn=True,
    )
    caption = "Peaks are dense, of one accelerator, in the pool's precision; amounts are for an hour"
    yield sheet(MARKET_HEAD, rows, anchor="market", numbers_from=2, wide=48, caption=caption)


def _on_sale(standing: MarketRank) -> str:
    providers = len({each.provider for each in standing.machines})
    return f"{standing.precision}: {len(standing.machines)} machines of {providers} providers have a price on demand."


def _standing_row(quote: Quote, standing: MarketRank, pool: PoolMarketRank, catalog: Catalog) -> Row:
    worth = quote.options[pool.at].worth_by_pool[pool.pool]
    source = find_note(catalog.sources, catalog.accelerators[pool.accelerator].source)
    return (
        *texts(f"{letter(pool.at)}: {pool.pool}, {pool.purchase}", pool.accelerator),
        cite(f"{number(pool.peak_tflops)} {standing.precision}", source=source),
        *texts(
            usd(pool.usd),
            f"{pool.cheaper} of {len(standing.machines)}",
            usd(worth.usd_per_gpu_hour),
            percent(worth.versus_big_three_percent),
        ),
    )


def compare_buying(quote: Quote, catalog: Catalog) -> Iterator[Block]:
    bought = buyings(quote)
    if not bought:
        return
    yield from chapter(
        "Rent or buy",
        "buying",
        cite(
            "Total spent by each month. Owned: servers of 8 accelerators, bought at the start, housed, "
            "repaired and looked after, sold in the last month. Rented: the option's accelerator pools in the expected "
            "month."
        ),
        is_drawn=True,
    )
    head = ("option", "servers bought", "USD a year, owned", "USD a year, rented", "buying is cheaper")
    rows = [_owning_row(quote.options, buying, at, catalog) for buying, every in bought for at in every]
    yield sheet(head, rows, anchor="buying", numbers_from=1, wide=36)


def buyings(quote: Quote) -> tuple[tuple[Buying, tuple[int, ...]], ...]:
    found: dict[Buying, list[int]] = {}
    for at, option in enumerate(quote.options):
        if option.buying is not None:
            found.setdefault(option.buying, []).append(at)
    return tuple((buying, tuple(every)) for buying, every in found.items())


def _owning_row(options: Sequence[Option], buying: Buying, at: int, catalog: Catalog) -> Row:
    month = buying.break_even_month
    return (
        *texts(option_title(at, options[at]), str(buying.servers)),
        cite(usd(buying.usd_per_year), source=find_note(catalog.sources, buying.source)),
        *texts(usd(buying.rent_usd_per_year), f"from month {month}" if month else "not within 3 years"),
    )


def side_by_side(quote: Quote) -> Iterator[Block]:
    options = quote.options
    if not options:
        yield from chapter("No option", "options", cite("Nothing on sale satisfies the checklist."))
        return
    drawn = "Each bar reaches from the least month to the most; the mark is what we expect."
    yield from chapter("The options side by side", "options", cite(drawn, tone="drawn"), is_drawn=True)
    head = ("", *(letter(at) for at in range(len(options))))
    rows = [
        (cite(label, tone="faint sum" if label == EXPECTED else "faint"), *cells)
        for label, cells in _comparison_rows(options)
        if any(cell.text not in {"", NOT_KNOWN} for cell in cells)
    ]
    yield sheet(head, rows, anchor="options", wide=9 + 11 * len(options))


EXPECTED: Final = "USD a month, expected"


def _comparison_rows(options: Sequence[Option]) -> Iterator[tuple[str, Row]]:
    yield "option", texts(*(each.id for each in options))
    yield "chosen as", texts(*(views(each) for each in options))
    yield "where", texts(*(where(each) for each in options))
    yield "accelerators, at most", texts(*(_accelerators(each) for each in options))
    for at, reading in enumerate(("min", "expected", "max")):
        amounts = (mark(usd(readings(each.bill.usd_per_month)[at]), each.bill) for each in options)
        yield f"USD a month, {reading}", texts(*amounts, tone="sum" if reading == "expected" else "")
    yield "USD a month, guarded cap", texts(*(_guard_cap(each) for each in options))
    yield "USD a month, held all month", texts(*(format_month_without_release(each) for each in options))
    yield "lines without a price", texts(*(_count(each.bill.unpriced, "unpriced") or "none" for each in options))
    yield "items estimated", texts(*(_count(each.bill.estimated, "estimated") for each in options))
    yield "verdict", tuple(cite(describe_verdict(each), tone=verdict_tone(each)) for each in options)
    yield "misses", tuple(cite("; ".join(each.misses), tone="over" if each.misses else "") for each in options)
    yield "one run", texts(*(_runs(each) for each in options))
    leads = [lead_worth(each) for each in options]
    yield "USD a GPU-hour", texts(*(usd(each.usd_per_gpu_hour) if each else NOT_KNOWN for each in leads))
    versus = (percent(each.versus_big_three_percent) if each else NOT_KNOWN for each in leads)
    yield "against hyperscalers on demand", texts(*versus)
    yield "buying instead", texts(*(_format_break_even(each) for each in options))


def _count(lines: Sequence[LineItem], what: str) -> str:
    return f"{len(lines)} {what}" if lines else ""


def verdict_tone(option: Option) -> str:
    return option.judgement.verdict.value.replace(" ", "-")


def _guard_cap(option: Option) -> str:
    cap = option.guarded_usd_per_month
    return "" if cap is None else mark(usd(cap), option.bill)


def _accelerators(option: Option) -> str:
    pools = (pool for each in option.placements for pool in each.pools if pool.accelerator)
    return "; ".join(
        f"{pool.max_nodes} x {pool.accelerators} {pool.accelerator}, {pool.purchase.replace('_', ' ')}"
        for pool in pools
    )


def _runs(option: Option) -> str:
    return "; ".join(f"{run.workload}: {duration(run.hours)}, {usd(run.usd)} USD" for run in option.runs)


def _format_break_even(option: Option) -> str:
    if option.buying is None:
        return NOT_KNOWN
    month = option.buying.break_even_month
    return f"cheaper from month {month}" if month else "not cheaper within 3 years"


def by_line(quote: Quote) -> Iterator[Block]:
    if not quote.options:
        return
    yield from chapter("What a month costs, by line", "lines", cite(_largest(quote)), is_drawn=True)
    head = ("line", *(letter(at) for at in range(len(quote.options))))
    rows = (*(row for group in BillGroup for row in _group(quote.options, group)), _sums("total", quote.options, None))
    wide = 11 + 6 * len(quote.options)
    yield sheet(head, rows, anchor="lines", caption="USD a month, expected", numbers_from=1, wide=wide)


def _largest(quote: Quote) -> str:
    said = [
        f"{letter(at)}: {line.label}, {usd(line.usd_per_month.expected)} USD"
        for at, option in enumerate(quote.options)
        if (line := most_expensive(option)) is not None and line.usd_per_month is not None
    ]
    return f"The most expensive line of each option in the expected month. {'; '.join(said)}." if said else ""


def most_expensive(option: Option) -> LineItem | None:
    priced = [line for line in option.bill.lines if line.usd_per_month is not None]
    return max(priced, key=lambda line: line.usd_per_month.expected if line.usd_per_month else 0, default=None)


def _group(options: Sequence[Option], group: BillGroup) -> Iterator[Row]:
    found = [{line.key: line for line in option.bill.lines if line.group is group} for option in options]
    keys = dict.fromkeys(key for lines in found for key in lines)
    if not keys:
        return
    for key in keys:
        lines = [each.get(key) for each in found]
        yield cite(_label(key, lines)), *(_amount(line) for line in lines)
    yield _sums(group.value, options, group)


def _label(key: str, lines: Sequence[LineItem | None]) -> str:
    """The line's own label; what the labels share where the options mean different machines by it."""
    labels = {line.label for line in lines if line is not None}
    tier = key.partition("#")[2]
    if len(labels) == 1:
        return f"{labels.pop()}{f', price tier {tier}' if tier else ''}"
    every = " / ".join(dict.fromkeys(line.label for line in lines if line is not None))
    shared = {label.split(": ")[0] for label in labels}
    last = "" if len(shared) > 1 or not key.endswith("/machine") else ": machines"
    return f"{shared.pop()}{last}" if len(shared) == 1 else every


def _amount(line: LineItem | None) -> Sentence:
    if line is None:
        return cite("")
    if line.state in {State.PRICED, State.ESTIMATED} and line.usd_per_month is not None:
        return cite(mark(usd(line.usd_per_month.expected), Bill((line,))))
    return cite(line.state.value, tone="undetermined" if line.state is State.UNPRICED else "faint")


def _sums(label: str, options: Sequence[Option], group: BillGroup | None) -> Row:
    bills = [Bill(tuple(line for line in each.bill.lines if group in {None, line.group})) for each in options]
    amounts = (mark(usd(sum_of(each.lines).expected), each) if each.lines else "" for each in bills)
    return texts(label, *amounts, tone="sum")


def runs(quote: Quote, checklist: Checklist) -> Iterator[Block]:
    workloads = workloads_run(quote)
    if not workloads:
        return
    yield from chapter(
        "Cost against time to train",
        "time",
        cite("A run counts its nodes for as long as it takes."),
        *(cite(_soonest(quote, name)) for name in workloads),
        cite("Further left is sooner, lower is cheaper.", tone="drawn"),
        is_drawn=True,
    )
    rows = [
        _run(run, at, option, checklist)
        for name in workloads
        for at, option in enumerate(quote.options)
        for run in option.runs
        if run.workload == name
    ]
    head = ("workload", "option", "hours", "USD a run", "USD a month", "deadline")
    yield sheet(head, rows, anchor="time", numbers_from=2, wide=36)


def _soonest(quote: Quote, workload: str) -> str:
    """The quickest run of a workload."""
    found = [(run, at) for at, option in enumerate(quote.options) for run in option.runs if run.workload == workload]
    # Compared as they are shown: of two times that read the same, the cheaper run is the better answer.
    least = duration(min(run.hours for run, _ in found))
    run, at = min((each for each in found if duration(each[0].hours) == least), key=lambda each: each[0].usd)
    cost = f"{duration(run.hours)} and {usd(run.usd)} USD a run"
    return f"{workload}: of these, none is sooner than {letter(at)}, with {cost}."


def _run(run: RunEstimate, at: int, option: Option, checklist: Checklist) -> Row:
    asked = deadline_days(checklist, run.workload)
    month = mark(usd(option.bill.usd_per_month.expected), option.bill)
    deadline = "none" if asked is None else days(asked)
    return texts(run.workload, option_title(at, option), number(run.hours), usd(run.usd), month, deadline)


def workloads_run(quote: Quote) -> tuple[str, ...]:
    return tuple(dict.fromkeys(run.workload for option in quote.options for run in option.runs))


def deadline_days(checklist: Checklist, workload: str) -> Decimal | None:
    asked = next((each for each in checklist.workloads if each.name == workload), None)
    return asked.deadline if isinstance(asked, Compute) else None
