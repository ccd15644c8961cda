"""One option in full: its pools, why it is there, what is not included, and what to know of it."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from string import ascii_uppercase
from typing import TYPE_CHECKING, Final

from cli.terminal.amounts import duration, mark, number, percent, usd
from cli.terminal.console import ScreenLine, lay_out_terms, wrap, wrap_name
from planning.ceilings.verdict import NO_CEILING
from planning.checklist.model.vocabulary import HOME
from planning.quoting.quote import calculate_average_nodes
from planning.values.money import ZERO
from planning.values.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from planning.quoting.quote import Option, PoolWorth, Quote, Twin
    from planning.spec.cluster import Placement, Pool


RECOMMENDED: Final = "recommended"
NOTICED: Final = Decimal("0.0005")  # share of the cost that one decimal of a percentage shows
VERDICTS: Final = {Verdict.WITHIN: "within", Verdict.OVER: "over", Verdict.UNDETERMINED: "undetermined"}


def order_options(quote: Quote) -> Quote:
    """The quote with its options in reading order: the recommended one first, last those that miss something most.

    An option that is a line under another one is not in it.
    """
    options = sorted(quote.shown, key=lambda each: (bool(each.misses), _hours_with_misses(each), not each.recommended))
    return replace(quote, options=tuple(options))


def _hours_with_misses(option: Option) -> Decimal:
    """Hours of the longest run of an option that misses something; 0 of one that meets the checklist."""
    return max((run.hours for run in option.runs), default=ZERO) if option.misses else ZERO


def letter(at: int) -> str:
    """Letter of an option by its place, "A" for the first."""
    return ascii_uppercase[at] if at < len(ascii_uppercase) else f"{ascii_uppercase[-1]}{at}"


def views(option: Option) -> str:
    names = dict.fromkeys(((RECOMMENDED,) if option.recommended else ()) + option.views)
    return ", ".join(view.replace("_", " ") for view in names)


def option_title(at: int, option: Option) -> str:
    """An option in a heading: "A: cheapest, same cloud"."""
    return f"{letter(at)}: {views(option)}"


def places(option: Option) -> str:
    return " + ".join(f"{each.placement.provider} {each.placement.region}" for each in option.placements)


def describe_verdict(option: Option) -> str:
    """The verdict in prose; without a ceiling nothing is within it."""
    return "no ceiling" if option.judgement.reason == NO_CEILING else VERDICTS[option.judgement.verdict]


def explain_verdict(option: Option) -> str:
    reason = option.judgement.reason
    return reason if reason == NO_CEILING else f"{describe_verdict(option)}: {reason}"


def describe_tradeoff(option: Option) -> str:
    """Why it is recommended, or what it gains and loses; what it was chosen for where there is no comparison."""
    return option.tradeoff or "; ".join(option.why)


def describe_twins(option: Option, *, most: int = 0) -> str:
    """The same cluster at other places: "also in us-west1, +0.3% (same cloud)"; "" where there is none.

    Args:
        most: places without a view that are named, the nearest in cost; 0 for all.
    """
    home = option.spec.placement
    plain = [each for each in option.twins if not each.views]
    unnamed = plain[most:] if most else []
    said = [_twin(each, home=home) for each in option.twins if each not in unnamed]
    said += [f"and at {len(unnamed)} more places" if len(unnamed) > 1 else "and at 1 more place"] if unnamed else []
    return f"also {'; '.join(said)}" if said else ""


def _twin(twin: Twin, *, home: Placement) -> str:
    place = f"in {twin.region}" if twin.provider == home.provider else f"at {twin.provider} {twin.region}"
    if (twin.provider, twin.region) == (home.provider, home.region) and twin.option_id:
        place = f"as {twin.option_id}"
    goals = f" ({', '.join(view.replace('_', ' ') for view in twin.views)})" if twin.views else ""
    cost = f"{twin.share * 100:+.1f}%" if abs(twin.share) >= NOTICED else "same cost"
    change = f" with {twin.difference}" if twin.difference else ""
    return f"{place}{change}, {cost}{goals}"


def describe_misses(option: Option) -> str:
    """What of the checklist it does not meet; "" where it meets all of it."""
    return f"misses: {'; '.join(option.misses)}" if option.misses else ""


def find_shared(said: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Sentences that every option says, in the order of the first; none where there is one option alone."""
    if len(said) < 2:  # noqa: PLR2004 - two options can share a sentence
        return ()
    return tuple(each for each in dict.fromkeys(said[0]) if all(each in other for other in said[1:]))


REFUSALS_SHOWN: Final = 8
INDENT: Final = "  "


def lay_out_details(quote: Quote, *, width: int) -> Iterator[ScreenLine]:
    shared = find_shared_details(quote.options)
    for at, option in enumerate(quote.options):
        yield ScreenLine("")
        yield from lay_out_option(option, width=width, first=f"{letter(at)}  ", shared=shared)
    common = [(label, sentences) for label, sentences in shared.items() if sentences]
    if common:
        yield ScreenLine("")
        yield ScreenLine("All options", style="bold")
        yield from lay_out_terms(common, width=width, indent=INDENT)
    if quote.refusals:
        refused = "; ".join(f"{reason} ({count})" for reason, count in quote.refusals[:REFUSALS_SHOWN])
        yield ScreenLine("")
        yield from wrap(f"Machines and places not considered: {refused}.", width=width)


def find_shared_details(options: Sequence[Option]) -> dict[str, tuple[str, ...]]:
    return {
        "not included": find_shared([each.leaves_out for each in options]),
        "notes": find_shared([each.notes for each in options]),
    }


def lay_out_option(
    option: Option, *, width: int, first: str = "", shared: dict[str, tuple[str, ...]] | None = None
) -> Iterator[ScreenLine]:
    yield from wrap_name(option.id, width=width, first=first, rest=" " * len(first))
    yield from wrap(where(option), width=width, first=INDENT, rest=INDENT, style="dim")
    worth = option.worth_by_pool
    pools = [(name, (describe_pool(pool, worth.get(pool.name)),)) for name, pool in list_named_pools(option)]
    yield from lay_out_terms(pools, width=width, indent=INDENT)
    yield ScreenLine("")
    yield from lay_out_terms(list(option_details(option, shared=shared)), width=width, indent=INDENT)


def format_nodes(pool: Pool) -> str:
    return f"{pool.min_nodes} / {number(calculate_average_nodes(pool))} / {pool.max_nodes}"


def describe_pool(pool: Pool, worth: PoolWorth | None) -> str:
    carried = f"{pool.accelerators}x {pool.accelerator} in each " if pool.accelerator else ""
    said = [
        f"{carried}{pool.machine}",
        pool.purchase.replace("_", " "),
        f"nodes {format_nodes(pool)} (min / expected / max)",
    ]
    if worth is not None and worth.usd_per_gpu_hour is not None:
        said.append(f"{usd(worth.usd_per_gpu_hour)} USD a GPU-hour{_beside_hyperscalers(worth)}")
    return "; ".join(said)


def _beside_hyperscalers(worth: PoolWorth) -> str:
    against = worth.versus_big_three_percent
    if against is None:
        return ""
    share = percent(against)
    least = "the lowest on-demand price of a hyperscaler"
    return f", {least}" if share == "0%" else f", {share} against {least}"


def format_month_without_release(option: Option) -> str:
    """USD of an expected month in which no node is given back, where the bill gives back what was to be reserved."""
    usd_held = option.held_usd_per_month
    return "" if usd_held is None else mark(usd(usd_held), option.bill)


def lead_worth(option: Option) -> PoolWorth | None:
    """The worth of the pool that costs most in the expected month, among those whose accelerator has a price."""
    accelerated = {each.pool: each for each in option.worth if each.usd_per_gpu_hour is not None}
    hours = {pool.name: pool.node_hours.expected for each in option.placements for pool in each.pools}
    return max(
        accelerated.values(),
        key=lambda each: (each.usd_per_hour * hours.get(each.pool, 0), each.usd_per_hour),
        default=None,
    )


def where(option: Option) -> str:
    several = len(option.placements) > 1
    return ", ".join(_place(each.placement, named=several) for each in option.placements)


def _place(place: Placement, *, named: bool) -> str:
    zones = f" ({', '.join(place.zones)})" if place.zones else ""
    return f"{f'{place.name}: ' if named else ''}{place.provider} {place.region}{zones}"


def list_named_pools(option: Option) -> Iterator[tuple[str, Pool]]:
    """Every pool with its name, which in an additional placement begins with the placement's."""
    for each in option.placements:
        prefix = "" if each.placement.name == HOME else f"{each.placement.name}/"
        yield from ((f"{prefix}{pool.name}", pool) for pool in each.pools)


def option_details(
    option: Option, *, shared: dict[str, tuple[str, ...]] | None = None
) -> Iterator[tuple[str, Sequence[str]]]:
    """What there is to say of an option, as a word and its sentences; without what `shared` says of all options."""
    once = shared or {}
    yield "chosen as", (views(option),)
    yield "because" if option.recommended else "compared", (option.tradeoff,) if option.tradeoff else ()
    yield "misses", option.misses
    yield "why", [each for each in option.why if not each.startswith(f"{RECOMMENDED}: ")]
    yield "twins", (describe_twins(option),) if option.twins else ()
    yield "verdict", (explain_verdict(option),)
    yield "guarded cap", _describe_guard(option)
    yield "ranked", _describe_rank_price(option)
    yield "run", [f"{run.workload}: one run takes {duration(run.hours)}, {usd(run.usd)} USD" for run in option.runs]
    yield "price-performance", _price_performance(option)
    flags = {name: worth.flags for name, worth in option.worth_by_pool.items() if worth.flags}
    yield "prices", [f"{name}: {', '.join(words)}" for name, words in flags.items()]
    yield "unpriced", ("; ".join(line.label for line in option.bill.unpriced),) if option.bill.unpriced else ()
    yield "estimated", ("; ".join(line.label for line in option.bill.estimated),) if option.bill.estimated else ()
    yield "not included", [each for each in option.leaves_out if each not in once.get("not included", ())]
    yield "lock-in", (option.lock_in,) if option.lock_in else ()
    yield "buying", _buying(option)
    yield "notes", [each for each in option.notes if each not in once.get("notes", ())]


def _describe_guard(option: Option) -> tuple[str, ...]:
    cap = option.guarded_usd_per_month
    if cap is None:
        return ()
    amount = mark(usd(cap), option.bill)
    return (f"{amount} USD a month: the most that the spend guard lets through",)


def _price_performance(option: Option) -> list[str]:
    return [
        f"{name}: {usd(worth.usd_per_1000_tflops_hour)} USD an hour for 1000 TFLOPS"
        for name, worth in option.worth_by_pool.items()
        if worth.usd_per_1000_tflops_hour is not None
    ]


def _describe_rank_price(option: Option) -> tuple[str, ...]:
    """What stands in for unpriced and estimated lines in the order of the options (decisions 0003 and 0038)."""
    stands_in = {
        "each line without a price at the highest price known for it anywhere": option.bill.unpriced,
        "each estimated line at its most expensive region": option.bill.estimated,
    }
    said = [words for words, lines in stands_in.items() if lines]
    assumed = usd(option.rank_usd_per_month.expected)
    return (f"at an assumed {assumed} USD: {', '.join(said)}",) if said else ()


def _buying(option: Option) -> tuple[str, ...]:
    buying = option.buying
    if buying is None:
        return ()
    even = f"cheaper from month {buying.break_even_month}" if buying.break_even_month else "not cheaper within 3 years"
    servers = "1 server" if buying.servers == 1 else f"{buying.servers} servers"
    own = f"{servers} of your own: {usd(buying.usd_per_year)} USD a year"
    return (f"{own} against {usd(buying.rent_usd_per_year)} USD of rent; {even} ({buying.source})",)
