"""The first screen of a quote: what may be had for how much, what is recommended, what is missing, what to do next."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from cli.terminal.amounts import NOT_KNOWN, duration, readings, usd, usd_short
from cli.terminal.console import GAP, ScreenLine, align_columns, wrap, wrap_name
from cli.views.quote.options import (
    RECOMMENDED,
    describe_misses,
    describe_tradeoff,
    describe_twins,
    describe_verdict,
    find_shared,
    lead_worth,
    letter,
    views,
)
from planning.ceilings.verdict import COSTS
from planning.costs.price_ages import name_refresh
from planning.quoting.quote import name_view
from planning.values.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from planning.costs.bill import Bill, LineItem
    from planning.costs.price_ages import LineAge
    from planning.quoting.quote import Option, Quote
    from planning.spec.lock import Ceilings

MOST_LINES: Final = 40
CAPS: Final = (6, 4, 3)  # lines that one sentence may take: the most that leaves the screen within its lines
LAST_CAPS: Final = (2, 1)  # the same where every remark that can give way has done so
LEAST_RECOMMENDED: Final = 4  # lines for why an option is recommended, which is read before all else
LEAST_COMPARED: Final = 2  # for what another option gains and loses: one without the other misleads
NAMES_SHOWN: Final = 3
TWINS_SHOWN: Final = 3
SHORT_WORDS: Final = 60  # characters of what is not included that are said on the first screen
STYLES: Final = {Verdict.WITHIN: "good", Verdict.OVER: "alert", Verdict.UNDETERMINED: "warn"}
INDENT: Final = "    "
HEAD: Final = ("min", "expected", "max", "GPU-hour", "one run", "verdict")
ALWAYS: Final = frozenset({"min", "expected", "max", "verdict"})
NOT_VALID: Final = "stale prices: not valid for signing"
MOST_UNPRICED: Final = 230  # characters of the names of what has no price; beyond them lines are counted
MORE: Final = "More remarks: --details"
MONTH: Final = "USD a month"


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence below the table.

    Args:
        gives_way: 0 where it is always said; else the more the sooner it is left to `--details`.
        least: lines that it may take where the others are cut shorter, as long as the screen has room.
    """

    text: str
    first: str = ""
    gives_way: int = 0
    least: int = 0
    style: str = ""


def lay_out_quote(quote: Quote, *, ceilings: Ceilings, asked: str, width: int, whole: bool = False) -> list[ScreenLine]:
    """At most 40 lines where there are five options or fewer.

    Args:
        quote: its options in the order in which they are read.
        asked: stack or file as the command line named it.
        whole: every remark in full, however many lines it takes.
    """
    remarks = [*_recommendations(quote, twins=0 if whole else TWINS_SHOWN), *_remarks(quote, ceilings)]
    if whole:
        return [*_top(quote, width=width), *_lay_out_remarks(remarks, width=width, most=0), *_next(quote, asked, width)]
    fewer, fewest = ([*(each for each in remarks if each.gives_way <= most), Remark(MORE)] for most in (1, 0))
    lines: list[ScreenLine] = []
    why, none = (
        [replace(each, least=each.least if each.least > most else 0) for each in fewest]
        for most in (LEAST_COMPARED, LEAST_RECOMMENDED)
    )
    tries = ((remarks, CAPS), (fewer, CAPS), (fewest, (*CAPS, *LAST_CAPS)), (why, LAST_CAPS), (none, LAST_CAPS))
    for kept, caps in tries:
        for most in caps:
            lines = [
                *_top(quote, width=width),
                *_lay_out_remarks(kept, width=width, most=most),
                *_next(quote, asked, width),
            ]
            if len(lines) <= MOST_LINES:
                return lines
    return lines


def describe_quote(quote: Quote) -> str:
    count = len(quote.options)
    own = f", {quote.own_prices} over it" if quote.own_prices else ""
    oldest = quote.oldest_price
    newest = f", prices up to {quote.prices_as_of}" if quote.prices_as_of else ""
    age = f", the oldest of them {describe_age(oldest)}" if oldest else ""
    holds = NOT_VALID if quote.stale else f"valid until {quote.valid_until}"
    return (
        f"{quote.stack}: {count} option{'' if count == 1 else 's'}, priced on {quote.priced_at}, {holds}; "
        f"price book {quote.prices}{own}{newest}{age}"
    )


def describe_age(age: LineAge) -> str:
    """As in "128 days old"; of an undated price since when the catalog has it."""
    since = "old" if age.as_of else "in the catalog without a date"
    return f"{age.age_days} day{'' if age.age_days == 1 else 's'} {since}"


def describe_aging(aging: Sequence[LineAge]) -> str:
    """Which prices may have moved, and the command that brings newer ones; "" where none may."""
    if not aging:
        return ""
    named = [f"{each.item} at {each.provider} is {describe_age(each)}" for each in aging[:NAMES_SHOWN]]
    more = f" and {len(aging) - NAMES_SHOWN} more" if len(aging) > NAMES_SHOWN else ""
    return (
        f"Prices that may have moved: {'; '.join(named)}{more}. Newer ones: {name_refresh(a.provider for a in aging)}"
    )


def _top(quote: Quote, *, width: int) -> Iterator[ScreenLine]:
    yield from wrap(describe_quote(quote), width=width)
    names = [(f"{letter(at)}  ", option) for at, option in enumerate(quote.options)]
    longest = max(len(MONTH), *(len(first) + len(option.id) for first, option in names))
    rows = _rows(quote.options, room=width - len(INDENT))
    beside = longest + len(GAP) + max(map(len, rows)) <= width
    left = longest if beside else len(INDENT) - len(GAP)
    yield ScreenLine("" if beside else f"{INDENT}{MONTH}", style="dim")
    yield ScreenLine(f"{(MONTH if beside else '').ljust(left)}{GAP}{rows[0]}", style="dim")
    yield ScreenLine("-" * min(width, left + len(GAP) + max(map(len, rows))), style="dim")
    for (first, option), row in zip(names, rows[1:], strict=True):
        figures = _figures(option, row)
        if beside:
            yield ScreenLine(f"{f'{first}{option.id}'.ljust(left)}{GAP}{figures.text}", figures.tail, figures.style)
        else:
            yield from wrap_name(option.id, width=width, first=first, rest=INDENT)
        yield from wrap(views(option), width=width, first=INDENT, rest=INDENT, style="dim")
        if not beside:
            yield ScreenLine(f"{' ' * left}{GAP}{figures.text}", figures.tail, figures.style)


def _figures(option: Option, row: str) -> ScreenLine:
    word = _verdict(option)
    style = "alert" if option.misses else STYLES[option.judgement.verdict]
    return ScreenLine(row.removesuffix(word), word, style)


def _rows(options: Sequence[Option], *, room: int) -> list[str]:
    table = [HEAD, *map(_cells, options)]
    kept = [at for at, name in enumerate(HEAD) if name in ALWAYS or any(row[at] != NOT_KNOWN for row in table[1:])]
    for name in ("", "GPU-hour", "one run"):
        kept = [at for at in kept if HEAD[at] != name]
        rows = align_columns([[row[at] for at in kept] for row in table])
        if max(map(len, rows)) <= room:
            break
    return rows


def _cells(option: Option) -> tuple[str, ...]:
    lead = lead_worth(option)
    run = max(option.runs, key=lambda each: each.hours, default=None)
    return (
        *(usd_short(each, bill=option.bill) for each in readings(option.bill.usd_per_month)),
        usd(lead.usd_per_gpu_hour) if lead else NOT_KNOWN,
        duration(run.hours) if run else NOT_KNOWN,
        _verdict(option),
    )


def _verdict(option: Option) -> str:
    return "misses" if option.misses else describe_verdict(option)


def _recommendations(quote: Quote, *, twins: int) -> Iterator[Remark]:
    for at, option in enumerate(quote.options):
        said = describe_tradeoff(option)
        least, style = (LEAST_RECOMMENDED, "bold") if option.recommended else (LEAST_COMPARED, "")
        said = f"Recommended: {said[:1].lower()}{said[1:]}" if option.recommended else said
        yield Remark(said, f"{letter(at)}  ", least=least, style=style)
        if option.misses:
            yield Remark(describe_misses(option), INDENT, style="alert")
        if option.twins:
            yield Remark(describe_twins(option, most=twins), INDENT, gives_way=1, style="dim")


def _remarks(quote: Quote, ceilings: Ceilings) -> Iterator[Remark]:
    yield from _describe_lines(quote, "Not priced", "without a price", of=lambda bill: bill.unpriced)
    yield from _describe_lines(quote, "Estimated (~)", "estimated", of=lambda bill: bill.estimated)
    yield from _describe_outside(quote)
    if aging := describe_aging(quote.aging_prices):
        yield Remark(aging, gives_way=1, style="warn")
    yield from (Remark(f"No option at {names}: {why}") for names, why in group_unmet(quote))
    yield Remark(describe_ceilings(ceilings))
    if guarded := describe_guard(quote, ceilings):
        yield Remark(guarded, gives_way=2)
    yield from (Remark(each, gives_way=2 if at else 0) for at, each in enumerate(describe_advice(quote)))
    if quote.reason:
        yield Remark(f"Why not more: {quote.reason}", gives_way=2)
    else:
        yield from (Remark(f"No {name_view(view)}: {why}", gives_way=2) for view, why in quote.missing_views.items())


def describe_advice(quote: Quote) -> list[str]:
    if any(each.misses for each in quote.options):
        return [f"What would work: {' and '.join(quote.advice)}"] if quote.advice else []
    return [f"To come under the ceiling: {change}" for change in quote.advice]


def describe_ceilings(ceilings: Ceilings) -> str:
    limits = {
        "a month": ceilings.usd_per_month,
        "over the contract": ceilings.usd_per_contract,
        "for a GPU-hour": ceilings.usd_per_gpu_hour,
    }
    said = [f"{usd(limit)} USD {what}" for what, limit in limits.items() if limit is not None]
    return f"Ceiling: {', '.join(said)}; it applies to {COSTS[ceilings.binds]}." if said else "No ceiling is set."


def group_unmet(quote: Quote) -> Iterator[tuple[str, str]]:
    found: dict[str, list[str]] = {}
    for provider, why in quote.unmet_providers:
        found.setdefault(why, []).append(provider)
    yield from ((", ".join(names), why) for why, names in found.items())


def describe_guard(quote: Quote, ceilings: Ceilings) -> str:
    """The most that the spend guard lets through: once where it is the ceiling, else option by option."""
    amounts = {option.guarded_usd_per_month for option in quote.options}
    if amounts == {ceilings.usd_per_month} and None not in amounts:
        return f"Guarded cap: the spend guard stops new work at {usd(ceilings.usd_per_month)} USD a month."
    caps = [
        f"{letter(at)} {usd_short(option.guarded_usd_per_month, bill=option.bill)}"
        for at, option in enumerate(quote.options)
        if option.guarded_usd_per_month is not None
    ]
    beyond = any(each is not None and each > (ceilings.usd_per_month or each) for each in amounts)
    why = " Above the ceiling are nodes that it cannot hold: always on, or started by Slurm." if beyond else ""
    said = f"Guarded cap, the most that the spend guard lets through: {', '.join(caps)} USD a month.{why}"
    return said if caps else ""


def _describe_lines(
    quote: Quote, title: str, what: str, *, of: Callable[[Bill], Sequence[LineItem]]
) -> Iterator[Remark]:
    lines = [tuple(line.label for line in of(option.bill)) for option in quote.options]
    shared = find_shared(lines)
    said = [f"all options: {_few(shared)}"] if shared else []
    for at, labels in enumerate(lines):
        own = [each for each in labels if each not in shared]
        said += [f"{letter(at)}: {_few(own)}"] if own else []
    if len(" ".join(said)) > MOST_UNPRICED:
        counts = ", ".join(f"{letter(at)} {len(labels)}" for at, labels in enumerate(lines) if labels)
        yield Remark(f"Lines {what}: {counts}; names with --details.")
    elif said:
        yield Remark(f"{title}: {'. '.join(said)}.")


def _describe_outside(quote: Quote) -> Iterator[Remark]:
    outside = find_shared([option.leaves_out for option in quote.options]) or quote.options[0].leaves_out
    short = [each for each in outside if len(each) <= SHORT_WORDS]
    rest = len({each for option in quote.options for each in option.leaves_out} - set(short))
    more = f"; {rest} more with --details" if rest else ""
    if short or rest:
        yield Remark(f"Not included: {'; '.join(short) or 'see --details'}{more if short else ''}.")


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
    return "; ".join(names[:NAMES_SHOWN]) + more


def _lay_out_remarks(remarks: Sequence[Remark], *, width: int, most: int) -> Iterator[ScreenLine]:
    yield ScreenLine("")
    for each in remarks:
        rest = " " * len(each.first) or "  "
        cap = max(most, each.least) if most else 0
        yield from wrap(each.text, width=width, first=each.first, rest=rest, most=cap, style=each.style)


def _next(quote: Quote, asked: str, width: int) -> Iterator[ScreenLine]:
    yield ScreenLine("")
    first = quote.options[0]
    name = RECOMMENDED if first.recommended else first.id
    yield from wrap(f"Details: atoll quote {asked} --details, or --option {name}", width=width)
    if first.bill.unpriced:
        which = "" if first.recommended else f" --option {first.id}"
        yield from wrap(f"Request the missing prices: atoll rfq {asked}{which}", width=width)
    refused = quote.stale or first.judgement.verdict is Verdict.OVER or first.misses
    if asked == quote.stack and not refused:
        yield from wrap(f"Next: atoll accept {asked} {name}", width=width, style="bold")
