"""Break-even of a relocation: a range of days, never, or undetermined."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from decimal import ROUND_CEILING, Decimal
from typing import TYPE_CHECKING, Final, Literal

from planning.relocation.costs.parallel_run import DAYS_PER_MONTH, is_onboarding
from planning.spec.lock_content import State
from planning.values.money import ZERO, to_cents

if TYPE_CHECKING:
    from datetime import date

    from planning.costs.bill import Bill
    from planning.spec.lock import Lock

LONGEST_DAYS: Final = 36_525  # a hundred years; longer counts as never
NAMED: Final = 3  # lines without a price that a sentence names


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakEven:
    """Days on which the savings equal the cost of the move.

    Args:
        earliest: at the minimum cost and the maximum savings, also where the verdict is "undetermined".
        expected: at the expected amounts; None for never or unknown.
        latest: at the maximum cost and the minimum savings; None for never or unknown.
        saved: USD a month, old less new, at min, expected and max: negative where the target is more expensive. It
            does not include onboarding, which is paid once.
    """

    verdict: Literal["dated", "never", "undetermined"]
    earliest: date | None = None
    expected: date | None = None
    latest: date | None = None
    saved: tuple[Decimal, Decimal, Decimal]
    words: str


def break_even(once: Bill, *, source: Lock, target: Lock, from_day: date) -> BreakEven:
    """Calculate the break-even.

    Args:
        once: one-time costs of the move.
        from_day: day from which the target is paid instead of the source.
    """
    old, new = _month(source), _month(target)
    saved = (old[0] - new[0], old[1] - new[1], old[2] - new[2])
    best, worst = max(saved), min(saved)
    if best <= ZERO and not _list_unpriced(source):
        return BreakEven(verdict="never", saved=saved, words="never: the target saves nothing")
    total, most, open_lines = _once(once)
    unknown = [*open_lines, *_list_unpriced(source), *_list_unpriced(target)]
    earliest = None if _list_unpriced(source) else _day(total[0], best, from_day)
    if unknown:
        return BreakEven(
            verdict="undetermined",
            earliest=earliest,
            saved=saved,
            words=_describe_undetermined(
                unknown, earliest, added=_format_added_cost(saved[1], source=source, target=target)
            ),
        )
    if earliest is None:
        return BreakEven(verdict="never", saved=saved, words="never within a hundred years")
    expected, latest = _day(total[1], saved[1], from_day), _day(most, worst, from_day)
    return BreakEven(
        verdict="dated",
        earliest=earliest,
        expected=expected,
        latest=latest,
        saved=saved,
        words=_describe_dates(earliest, expected, latest),
    )


def _month(lock: Lock) -> tuple[Decimal, Decimal, Decimal]:
    """Priced monthly cost, without one-time costs."""
    found = [line.usd_per_month for line in lock.bill if line.usd_per_month is not None and not is_onboarding(line)]
    low, expected, high = (sum((each[reading] for each in found), ZERO) for reading in range(3))
    return low, expected, high


def _list_unpriced(lock: Lock) -> list[str]:
    return [f"{line.label} ({lock.stack})" for line in lock.bill if line.usd_per_month is None]


def _once(bill: Bill) -> tuple[tuple[Decimal, Decimal], Decimal, list[str]]:
    """Minimum and expected cost, the maximum, and lines without a maximum."""
    usd = bill.usd_per_month
    bounded = [line for line in bill.lines if line.state is State.UNPRICED and line.at_most_usd_per_month is not None]
    most = usd.max + sum((line.at_most_usd_per_month or ZERO for line in bounded), ZERO)
    return (usd.min, usd.expected), most, [line.label for line in bill.unpriced if line not in bounded]


def _day(usd: Decimal, saved_a_month: Decimal, from_day: date) -> date | None:
    """The day on which that amount is saved; None for never."""
    if saved_a_month <= ZERO:
        return None
    days = (usd / saved_a_month * DAYS_PER_MONTH).to_integral_value(ROUND_CEILING)
    return None if days > LONGEST_DAYS else from_day + timedelta(days=int(days))


def _format_added_cost(saved: Decimal, *, source: Lock, target: Lock) -> str:
    """Amount by which the target is certainly more expensive, a month; "" where that is not certain."""
    if saved >= ZERO or _list_unpriced(source):
        return ""
    return f"{'at least ' if _list_unpriced(target) else ''}{to_cents(-saved):,} USD"


def _describe_undetermined(unknown: list[str], earliest: date | None, *, added: str) -> str:
    named = ", ".join(unknown[:NAMED]) + (f" and {len(unknown) - NAMED} more" if len(unknown) > NAMED else "")
    if added:
        return f"not at the expected cost: the target costs {added} more a month; no price of {named}"
    floor = f"not before {earliest}" if earliest else "no earliest day"
    return f"undetermined: {floor}; no price of {named}"


def _describe_dates(earliest: date, expected: date | None, latest: date | None) -> str:
    likely = f"{expected} expected" if expected else "never at the expected readings"
    worst = f"{latest} at the latest" if latest else "never at the worst"
    return f"from {earliest} at best, {likely}, {worst}"
