"""One sentence for each option: why it is recommended, or what is gained and lost against the one that is."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING, Final

from planning.options.recommendation import is_doubtful
from planning.options.selection import LEAST_DIFFERENCE
from planning.quote import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.quote import Option

_INTERRUPTIBLE: Final = frozenset({"spot", "flex"})
_SMALL: Final = LEAST_DIFFERENCE / 10
_BUDGET: Final = {
    Verdict.WITHIN: "within the budget",
    Verdict.OVER: "over the budget, as every option is",
    Verdict.CANNOT_TELL: "",
}


def describe_recommended(option: Option) -> str:
    """Why the rule recommends an option, by the conditions that it keeps."""
    if option.misses:
        return "Nothing meets the whole checklist; this comes nearest."
    spot, unpriced = list_spot(option), len(option.bill.unpriced)
    parts = (
        f"{count(unpriced, 'line')} without a price" if unpriced else "priced in full",
        _BUDGET[option.judgement.verdict],
        "every run in time" if option.runs else "",
        "" if has_doubt(option) else "prices that sources agree on",
        f"spot machines only for what resumes ({', '.join(spot)})" if spot else "no spot machines",
    )
    return f"The lowest cost that can be had with these: {', '.join(part for part in parts if part)}."


def compare_options(option: Option, recommended: Option) -> str:
    """What is gained and what is lost by taking an option instead of the recommended one."""
    gained, lost = list(_list_gains(option, recommended)), list(_list_losses(option, recommended))
    halves = (f"gained: {', '.join(gained)}" if gained else "", f"lost: {', '.join(lost)}" if lost else "")
    words = "; ".join(half for half in halves if half)
    return f"{words[:1].upper()}{words[1:]}." if words else "About the same cost and time elsewhere."


def _list_gains(option: Option, other: Option) -> Iterator[str]:
    usd, theirs = option.rank_usd_per_month.expected, other.rank_usd_per_month.expected
    hours, longer = longest_run(option), longest_run(other)
    if theirs > usd * (1 + _SMALL):
        yield f"{_percent(theirs - usd, theirs)} lower cost{_note_estimate(option, other)}"
    if hours and longer > hours * (1 + _SMALL):
        yield f"{_percent(longer - hours, longer)} shorter runs"
    if list_spot(other) and not list_spot(option):
        yield "no spot machines"
    if fewer := len(other.bill.unpriced) - len(option.bill.unpriced):
        yield from [f"{count(fewer, 'line')} fewer without a price"] if fewer > 0 else []
    if has_doubt(other) and not has_doubt(option):
        yield "prices that sources agree on"


def _list_losses(option: Option, other: Option) -> Iterator[str]:
    usd, theirs = option.rank_usd_per_month.expected, other.rank_usd_per_month.expected
    hours, shorter = longest_run(option), longest_run(other)
    if usd > theirs * (1 + _SMALL):
        yield f"{_percent(usd - theirs, theirs)} more cost{_note_estimate(option, other)}"
    if shorter and hours > shorter * (1 + _SMALL):
        yield f"{_percent(hours - shorter, shorter)} longer runs"
    if list_spot(option) and not list_spot(other):
        yield "spot machines that can be taken away"
    if more := len(option.bill.unpriced) - len(other.bill.unpriced):
        yield from [f"{count(more, 'line')} more without a price"] if more > 0 else []
    if has_doubt(option) and not has_doubt(other):
        yield "a price in doubt (sources differ, or no date)"
    if option.judgement.verdict is Verdict.OVER and other.judgement.verdict is not Verdict.OVER:
        yield "over the budget"


def _note_estimate(option: Option, other: Option) -> str:
    """That a share of cost counts lines without a price, where the two bills alone would show another."""
    billed, theirs = (each.bill.usd_per_month.expected for each in (option, other))
    ranked, their_rank = (each.rank_usd_per_month.expected for each in (option, other))
    shown = _percent(billed - theirs, theirs) == _percent(ranked - their_rank, their_rank)
    return "" if shown else " (part estimated)"


def _percent(part: Decimal, whole: Decimal) -> str:
    share = (part / whole * 100).quantize(Decimal(1), ROUND_HALF_UP) if whole else Decimal(0)
    return f"{share:,}%"


def count(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def longest_run(option: Option) -> Decimal:
    """Hours of the longest run; 0 where nothing runs to an end."""
    return max((run.hours for run in option.runs), default=Decimal(0))


def list_spot(option: Option) -> tuple[str, ...]:
    """Names of the pools that can be taken away."""
    pools = (pool for cluster in option.placements for pool in cluster.pools)
    return tuple(pool.name for pool in pools if pool.kind in _INTERRUPTIBLE)


def has_doubt(option: Option) -> bool:
    """Whether a price of its machines is contradicted by another source, or undated."""
    return any(is_doubtful(flag) for pool in option.worth for flag in pool.flags)
