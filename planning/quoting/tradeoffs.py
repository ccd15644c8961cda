"""One sentence for each option: why it is recommended, or what speaks for and against it beside the one that is."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING, Final

from planning.quoting.search.selection import LEAST_DIFFERENCE
from planning.quoting.search.views import is_doubtful
from planning.values.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from planning.costs.bill import Bill
    from planning.quoting.quote import Option
    from planning.spec.cluster import ClusterSpec, Pool

_INTERRUPTIBLE: Final = frozenset({"spot", "flex"})
_SMALL: Final = LEAST_DIFFERENCE / 10
_TIMES_FROM: Final = 3  # a share beyond 200% is read as a number of times


def describe_recommended(option: Option, *, alone: bool = False, limited: bool = True) -> str:
    """Why the rule recommends an option: the conditions that it keeps, then what it leaves open.

    Args:
        alone: whether it is the only option of the quote.
        limited: whether a ceiling bounds a month or the contract.
    """
    if option.misses:
        return "Nothing meets the whole checklist; this comes nearest."
    spot, doubt = list_spot(option), describe_doubt(option)
    unpriced, estimated = len(option.bill.unpriced), len(option.bill.estimated)
    verdict = option.judgement.verdict
    kept = (
        "" if unpriced else f"a price {'or an estimate ' if estimated else ''}for every line",
        "the month within the budget" if limited and verdict is Verdict.WITHIN else "",
        "every run in time" if option.runs else "",
        "" if doubt else "prices that sources agree on",
        f"spot machines only for what resumes ({', '.join(spot)})" if spot else "no spot machines",
    )
    open_ends = (
        "over the budget, as every option is" if verdict is Verdict.OVER else "",
        f"{count(unpriced, 'line')} {'has' if unpriced == 1 else 'have'} no price" if unpriced else "",
        f"{count(estimated, 'item')} estimated" if estimated else "",
        doubt,
    )
    first = "The only option found," if alone else "The lowest expected cost"
    return f"{'; '.join(part for part in (f'{first} with {_join_words(kept)}', *open_ends) if part)}."


def compare_options(option: Option, recommended: Option) -> str:
    """What speaks for an option and what against it, beside the recommended one."""
    gains, losses = list(_list_gains(option, recommended)), list(_list_losses(option, recommended))
    if not gains and not losses:
        return "About the same cost and time at another place."
    halves = (
        "" if _differs_in_cost(option, recommended) else f"about the same cost{_note_assumption(option, recommended)}",
        f"for it: {', '.join(gains)}" if gains else "",
        f"against it: {', '.join(losses)}" if losses else "",
    )
    words = "; ".join(half for half in halves if half)
    return f"{words[:1].upper()}{words[1:]}."


def _join_words(parts: Iterable[str]) -> str:
    """Words as one list: "a, b and c"."""
    *most, last = [part for part in parts if part]
    return f"{', '.join(most)} and {last}" if most else last


def _differs_in_cost(option: Option, other: Option) -> bool:
    """Whether one of the two costs at least 1% more than the other."""
    low, high = sorted(each.rank_usd_per_month.expected for each in (option, other))
    return high > low * (1 + _SMALL)


def _list_gains(option: Option, other: Option) -> Iterator[str]:
    usd, theirs = option.rank_usd_per_month.expected, other.rank_usd_per_month.expected
    hours, longer = longest_run(option), longest_run(other)
    if theirs > usd * (1 + _SMALL):
        yield f"{_percent(theirs - usd, theirs)} lower cost{_note_assumption(option, other)}"
    if hours and longer > hours * (1 + _SMALL):
        yield f"{_percent(longer - hours, longer)} shorter runs"
    if not option.runs and "fastest" in option.views and "fastest" not in other.views:
        yield "the fastest answers"
    if list_spot(other) and not list_spot(option):
        yield "no spot machines"
    yield from _count_more(other.bill, option.bill, than="fewer")
    if describe_doubt(other) and not describe_doubt(option):
        yield "prices that sources agree on"


def _list_losses(option: Option, other: Option) -> Iterator[str]:
    usd, theirs = option.rank_usd_per_month.expected, other.rank_usd_per_month.expected
    hours, shorter = longest_run(option), longest_run(other)
    if usd > theirs * (1 + _SMALL):
        yield f"{_name_share(usd, theirs, 'more cost', '{} times the cost')}{_note_assumption(option, other)}"
    if shorter and hours > shorter * (1 + _SMALL):
        yield _name_share(hours, shorter, "longer runs", "runs {} times as long")
    if list_spot(option) and not list_spot(other):
        yield "spot machines that can be taken away"
    yield from _count_more(option.bill, other.bill, than="more")
    if (doubt := describe_doubt(option)) and not describe_doubt(other):
        yield doubt
    if option.judgement.verdict is Verdict.OVER and other.judgement.verdict is not Verdict.OVER:
        yield "over the budget"


def _count_more(bill: Bill, other: Bill, *, than: str) -> Iterator[str]:
    """By how many lines more one bill than another has no price, or an estimate."""
    if (unpriced := len(bill.unpriced) - len(other.unpriced)) > 0:
        yield f"{unpriced} {than} {_lines(unpriced)} without a price"
    if (estimated := len(bill.estimated) - len(other.estimated)) > 0:
        yield f"{estimated} {than} estimated"


def _note_assumption(option: Option, other: Option) -> str:
    """That a share of cost counts assumed prices, where the two bills alone would show another."""
    billed, theirs = (each.bill.usd_per_month.expected for each in (option, other))
    ranked, their_rank = (each.rank_usd_per_month.expected for each in (option, other))
    shown = _percent(billed - theirs, theirs) == _percent(ranked - their_rank, their_rank)
    return "" if shown else " (partly assumed)"


def _name_share(amount: Decimal, other: Decimal, more: str, times: str) -> str:
    """How much more an amount is than another: a share of it, and how many times it from three times on."""
    if amount < other * _TIMES_FROM:
        return f"{_percent(amount - other, other)} {more}"
    return times.format(f"{(amount / other).quantize(Decimal(1), ROUND_HALF_UP):,}")


def _percent(part: Decimal, whole: Decimal) -> str:
    share = (part / whole * 100).quantize(Decimal(1), ROUND_HALF_UP) if whole else Decimal(0)
    return f"{share:,}%"


def _lines(number: int) -> str:
    return "line" if number == 1 else "lines"


def count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def longest_run(option: Option) -> Decimal:
    """Hours of the longest run; 0 where nothing runs to an end."""
    return max((run.hours for run in option.runs), default=Decimal(0))


def list_spot(option: Option) -> tuple[str, ...]:
    pools = (pool for cluster in option.placements for pool in cluster.pools)
    return tuple(pool.name for pool in pools if pool.kind in _INTERRUPTIBLE)


def describe_doubt(option: Option) -> str:
    """What puts a price of its machines in doubt: another source that contradicts it, or no date; "" for nothing."""
    flags = dict.fromkeys(flag for pool in option.worth for flag in pool.flags if is_doubtful(flag))
    return f"a price in doubt ({', '.join(flags)})" if flags else ""


MOST_CHANGES: Final = 2  # pools that one line names


def describe_pool_changes(main: Option, other: Option) -> str:
    """What the pools of an option have instead, as "lab on demand instead of spot"; "" where it is at other places."""
    pairs = list(zip(main.placements, other.placements, strict=True))
    if any(ours.placement.region != theirs.placement.region for ours, theirs in pairs):
        return ""
    found = [words for ours, theirs in pairs for words in _list_changes(ours, theirs)]
    more = len(found) - MOST_CHANGES
    said = [*found[:MOST_CHANGES], f"{more} more pool{'s' if more > 1 else ''} changed"] if more > 0 else found
    return " and ".join(said)


def _list_changes(main: ClusterSpec, other: ClusterSpec) -> Iterator[str]:
    ours, theirs = ({pool.name: pool for pool in spec.pools} for spec in (main, other))
    for name in dict.fromkeys((*ours, *theirs)):
        one, two = ours.get(name), theirs.get(name)
        if one is None or two is None:
            yield f"{'an added' if one is None else 'no'} pool {name}"
        elif words := _describe_change(one, two):
            yield f"{name} {words}"


def _describe_change(one: Pool, two: Pool) -> str:
    machines = (one.machine, one.max_nodes) != (two.machine, two.max_nodes)
    bought = (one.kind, two.kind) if one.kind != two.kind else (one.purchase, two.purchase)
    said = [
        " ".join(
            (
                *((f"on {pool.max_nodes} x {pool.machine}",) if machines else ()),
                *((purchase.replace("_", " "),) if bought[0] != bought[1] else ()),
            )
        )
        for pool, purchase in ((two, bought[1]), (one, bought[0]))
    ]
    return f"{said[0]} instead of {said[1].removeprefix('on ') if machines else said[1]}" if said[0] else ""
