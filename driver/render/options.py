"""The options of a quote side by side, and then one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.box import SIMPLE_HEAD
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from driver.render.amounts import NOT_KNOWN, floor, nodes, number, percent, unpriced_note, usd, usd_range
from planning.charge import HOME
from planning.json_form import versus_big_three_percent, worth_by_pool
from planning.quote import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from planning.quote import Option, PoolWorth, Quote
    from planning.spec import Placement, Pool

VERDICT_STYLE: Final = {Verdict.WITHIN: "green", Verdict.OVER: "bold red", Verdict.CANNOT_TELL: "yellow"}
NOT_VALID: Final = "stale prices: not valid for signing"
REFUSALS_SHOWN: Final = 5
INDENT: Final = (0, 0, 0, 2)


def quote_parts(quote: Quote) -> Iterator[RenderableType]:
    """Everything a quote says, top to bottom."""
    yield heading(quote)
    yield options_table(quote.options)
    for option in quote.options:
        yield from option_parts(option)
    yield from _reasons(quote)


def heading(quote: Quote) -> str:
    """What was quoted, with which prices, and until when."""
    count = len(quote.options)
    newest = f", newest price of {quote.prices_as_of}" if quote.prices_as_of else ""
    holds = f"; {NOT_VALID}" if quote.stale else f", valid until {quote.valid_until}"
    return (
        f"{quote.stack}: {count} option{'s' if count > 1 else ''}. Price book {quote.prices}{newest}; "
        f"priced on {quote.priced_at}{holds}."
    )


def options_table(options: Sequence[Option]) -> Table:
    """One row for each option, for comparing; the GPU-hour is that of its dearest pool."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_lines=False)
    table.add_column("option", overflow="fold")
    for reading in ("min", "expected", "max"):
        table.add_column(f"USD/month\n{reading}", justify="right", no_wrap=True)
    table.add_column("GPU-hour,\nvs big 3", justify="right", no_wrap=True)
    table.add_column("one run\ncosts USD", justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for option in options:
        table.add_row(*_comparison(option), end_section=True)
    return table


def _comparison(option: Option) -> tuple[str | Text, ...]:
    lead = lead_worth(option)
    missing = len(option.bill.unpriced)
    run = max(option.runs, key=lambda each: each.hours, default=None)
    verdict = option.judgement.verdict
    judged = Text(verdict.value, style=VERDICT_STYLE[verdict])
    return (
        Text.assemble(option.id, (f"\n{views(option)}", "dim"), (_held(option), "bold yellow")),
        *(floor(amount, unpriced=missing) for amount in usd_range(option.bill.usd_per_month)),
        f"{usd(lead.usd_per_gpu_hour)}\n{percent(versus_big_three_percent(lead))}" if lead else NOT_KNOWN,
        f"{number(run.hours)} h\n{usd(run.usd)}" if run else NOT_KNOWN,
        judged.append(f"\n{unpriced_note(missing)}", style="yellow") if missing else judged,
    )


def _held(option: Option) -> str:
    amount = held_all_month(option)
    return f"\nas used; held all month {amount}" if amount else ""


def held_all_month(option: Option) -> str:
    """USD of an expected month in which no node is given back, where the bill gives back what was to be reserved."""
    usd_held = option.held_usd_per_month
    return "" if usd_held is None else floor(usd(usd_held), unpriced=len(option.bill.unpriced))


def views(option: Option) -> str:
    """The goals an option is the answer to, in words."""
    return ", ".join(view.replace("_", " ") for view in option.views)


def lead_worth(option: Option) -> PoolWorth | None:
    """The worth of the pool whose nodes are dearest, where its accelerator has a price."""
    accelerated = [each for each in option.worth if each.usd_per_gpu_hour is not None]
    return max(accelerated, key=lambda each: each.usd_per_hour, default=None)


def option_parts(option: Option) -> Iterator[RenderableType]:
    """One option: its pools, why it is there, what it leaves out, and what to know of it."""
    yield Text.assemble((option.id, "bold"), f"  {where(option)}")
    yield Padding(pools_table(option), INDENT)
    yield Padding(_details_table(option), INDENT)
    yield ""


def where(option: Option) -> str:
    """Provider, region and zones; with several placements each under its name."""
    several = len(option.placements) > 1
    return ", ".join(_place(each.placement, named=several) for each in option.placements)


def _place(place: Placement, *, named: bool) -> str:
    zones = f" ({', '.join(place.zones)})" if place.zones else ""
    return f"{f'{place.name}: ' if named else ''}{place.provider} {place.region}{zones}"


def pools_table(option: Option) -> Table:
    """Machines and nodes of each pool."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("pool", no_wrap=True)
    table.add_column("machine", overflow="fold")
    table.add_column("accelerators", overflow="fold")
    table.add_column("purchase")
    table.add_column("nodes min / exp / max", justify="right", no_wrap=True)
    table.add_column("GPU-hour", justify="right", no_wrap=True)
    table.add_column("vs big three", justify="right", no_wrap=True)
    worth = worth_by_pool(option)
    for name, pool in named_pools(option):
        table.add_row(*_pool_cells(name, pool, worth.get(pool.name)))
    return table


def named_pools(option: Option) -> Iterator[tuple[str, Pool]]:
    """Every pool with its name, which beside home begins with its placement's."""
    for each in option.placements:
        prefix = "" if each.placement.name == HOME else f"{each.placement.name}/"
        yield from ((f"{prefix}{pool.name}", pool) for pool in each.pools)


def _pool_cells(name: str, pool: Pool, worth: PoolWorth | None) -> tuple[str, ...]:
    known = worth is not None and worth.usd_per_gpu_hour is not None
    return (
        name,
        pool.machine,
        f"{pool.accelerators}x {pool.accelerator}" if pool.accelerator else "",
        pool.purchase.replace("_", " "),
        nodes(pool),
        usd(worth.usd_per_gpu_hour) if worth and known else "",
        percent(versus_big_three_percent(worth)) if worth and known else "",
    )


def _details_table(option: Option) -> Table:
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column()
    for label, sentences in option_details(option):
        for number_, sentence in enumerate(sentences):
            grid.add_row("" if number_ else label, Text(sentence))
    return grid


def option_details(option: Option) -> Iterator[tuple[str, Sequence[str]]]:
    """What there is to say of an option, as a word and its sentences."""
    yield "why", option.why
    yield "verdict", (f"{option.judgement.verdict}: {option.judgement.reason}",)
    yield "ranked", _ranked(option)
    yield "run", [f"{run.workload}: one run takes {number(run.hours)} h and {usd(run.usd)} USD" for run in option.runs]
    yield (
        "worth",
        [
            f"{name}: {usd(worth.usd_per_1000_tflops_hour)} USD an hour for 1000 TFLOPS"
            for name, worth in worth_by_pool(option).items()
            if worth.usd_per_1000_tflops_hour is not None
        ],
    )
    flags = {name: worth.flags for name, worth in worth_by_pool(option).items() if worth.flags}
    yield "prices", [f"{name}: {', '.join(words)}" for name, words in flags.items()]
    yield "unpriced", ("; ".join(line.label for line in option.bill.unpriced),) if option.bill.unpriced else ()
    yield "leaves out", ("; ".join(option.leaves_out),) if option.leaves_out else ()
    yield "lock-in", (option.lock_in,) if option.lock_in else ()
    yield "buying", _buying(option)
    yield "notes", option.notes


def _ranked(option: Option) -> tuple[str, ...]:
    """What stands in for unpriced lines in the order of the options (decision 0003)."""
    if not option.bill.unpriced:
        return ()
    stand_in = usd(option.rank_usd_per_month.expected)
    return (f"as if it cost {stand_in} USD: what has no price counts at the dearest price known anywhere",)


def _buying(option: Option) -> tuple[str, ...]:
    buying = option.buying
    if buying is None:
        return ()
    even = f"cheaper from month {buying.break_even_month}" if buying.break_even_month else "not cheaper within 3 years"
    own = f"{buying.servers} servers of our own: {usd(buying.usd_per_year)} USD a year"
    return (f"{own} against {usd(buying.rent_usd_per_year)} USD of rent; {even} ({buying.source})",)


def _reasons(quote: Quote) -> Iterator[RenderableType]:
    """Why there are not more options, and what was left out on the way."""
    if quote.reason:
        yield f"Why not more: {quote.reason}"
    else:
        yield from (f"No {view.replace('_', ' ')} option: {why}" for view, why in quote.missing_views.items())
    yield from (f"To come under the ceiling: {change}" for change in quote.advice)
    if quote.refusals:
        shown = "; ".join(f"{reason} ({count})" for reason, count in quote.refusals[:REFUSALS_SHOWN])
        yield f"Left out: {shown}"
