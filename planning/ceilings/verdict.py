"""The verdict on a bill and its ceiling: within, over or undetermined, by intervals; of quotes, plans and policies.

An estimate is within a ceiling where its maximum is, and over it where its minimum is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR, Decimal
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from planning.costs.bill import Bill, BillGroup, has_placement, placement_of
from planning.costs.pricing import LEAST_BILL_USD, STATED_SOURCE
from planning.spec.lock_content import State
from planning.values.money import ZERO, round_to, to_cents
from planning.values.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from planning.costs.bill import LineItem
    from planning.spec.lock import Ceilings
    from planning.values.money import Range


_NAMED: Final = 3
# Which of the three readings of a bill a ceiling applies to, in the words of a verdict.
COSTS: Final = {"min": "the minimum cost", "expected": "the expected cost", "max": "the maximum cost"}
NO_CEILING: Final = "no ceiling is set"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """A verdict and the sentence that explains it.

    Args:
        headroom_usd_per_month: whole USD that the lines without a price and a bound may cost together, for the bill to
            be within; None where that is not what the verdict waits for.
    """

    verdict: Verdict
    reason: str
    headroom_usd_per_month: Decimal | None = None


def judge(bill: Bill, ceiling: Ceilings, *, contract_months: int, usd_per_gpu_hour: Decimal | None) -> Judgement:
    """The verdict over a bill.

    Unpriced lines can only add to a bill: a priced part over the ceiling is over whatever they cost, and one within it
    is undetermined while a line has neither price nor bound. So is an incomplete bill without a ceiling.

    Args:
        usd_per_gpu_hour: of the most expensive accelerator in the bill; None where there is none.
    """
    hour = accelerator_hour(bill, usd_per_gpu_hour)
    limits = list(_limits(bill, ceiling, contract_months=contract_months, usd_per_gpu_hour=hour))
    if not limits:
        return _without_limit(bill)
    over = [
        f"{what} is {_usd(amount.low)}, the ceiling {_usd(limit)}"
        for what, amount, limit in limits
        if amount.against(limit) is Verdict.OVER
    ]
    if over:
        return Judgement(verdict=Verdict.OVER, reason="; ".join(over))
    if any(amount.against(limit) is Verdict.UNDETERMINED for _, amount, limit in limits):
        return _explain_undetermined(bill, ceiling, limits, contract_months=contract_months)
    what, amount, limit = limits[0]
    most = "" if amount.high == amount.low or amount.high is None else f" to {_usd(amount.high)}"
    return Judgement(verdict=Verdict.WITHIN, reason=f"{what} is {_usd(amount.low)}{most}, the ceiling {_usd(limit)}")


def _explain_undetermined(
    bill: Bill, ceiling: Ceilings, limits: Iterable[tuple[str, Interval, Decimal]], *, contract_months: int
) -> Judgement:
    """What the verdict waits for, and how much of the ceiling is left for it."""
    waiting = sum(map(is_open, bill.unpriced))
    reasons = [describe_unpriced(bill)] if bill.unpriced else []
    left = _headroom(bill, ceiling, contract_months=contract_months) if waiting else None
    # A machine without a price may pass the ceiling of an hour, however little the month leaves or takes.
    is_money = ceiling.usd_per_gpu_hour is None or all(line.group is not BillGroup.COMPUTE for line in bill.unpriced)
    if left is not None and left > ZERO and is_money:
        what = "this item costs" if waiting == 1 else f"these {waiting} items cost"
        together = "" if waiting == 1 else " together"
        reasons.append(f"within, if {what} less than {left:,} USD a month{together}")
        return Judgement(verdict=Verdict.UNDETERMINED, reason="; ".join(reasons), headroom_usd_per_month=left)
    if left is not None and left <= ZERO:
        reasons.append("the rest alone may come to the ceiling")
    reasons += [
        f"{what} is {_usd(amount.low)} to {_usd(amount.high)}, the ceiling {_usd(limit)}"
        for what, amount, limit in limits
        if amount.high is not None and amount.against(limit) is Verdict.UNDETERMINED
    ]
    return Judgement(verdict=Verdict.UNDETERMINED, reason="; ".join(reasons))


def _headroom(bill: Bill, ceiling: Ceilings, *, contract_months: int) -> Decimal | None:
    """Whole USD a month that a ceiling leaves above the most that is known; None without a ceiling in USD."""
    known = [line for line in bill.lines if not is_open(line)]
    most = of_lines(known, ceiling.binds).high
    months = [] if ceiling.usd_per_month is None else [ceiling.usd_per_month]
    if ceiling.usd_per_contract is not None and contract_months:
        months.append(ceiling.usd_per_contract / contract_months)
    if most is None or not months:
        return None
    # What is dearer by so much makes a share of the bill dearer too; its first tier is its most expensive one.
    rates = (line.usd_per_unit or ZERO for line in known if is_share(line))
    left = (min(months) - most) / (1 + max(rates, default=ZERO))
    return round_to(left, Decimal(1), rounding=ROUND_FLOOR)


def _without_limit(bill: Bill) -> Judgement:
    if any(map(is_open, bill.unpriced)):
        return Judgement(verdict=Verdict.UNDETERMINED, reason=f"{NO_CEILING}, and {describe_unpriced(bill)}")
    return Judgement(verdict=Verdict.WITHIN, reason=NO_CEILING)


def accelerator_hour(bill: Bill, dearest: Decimal | None) -> Interval | None:
    """USD of an hour of the most expensive accelerator; None where there is no accelerator and nothing can have one."""
    # A machine without a price may have a more expensive accelerator.
    hidden = any(line.group is BillGroup.COMPUTE for line in bill.unpriced)
    if dearest is None:
        return Interval(ZERO, None) if hidden else None
    return Interval(dearest, None) if hidden else exactly(dearest)


def _limits(
    bill: Bill, ceiling: Ceilings, *, contract_months: int, usd_per_gpu_hour: Interval | None
) -> Iterator[tuple[str, Interval, Decimal]]:
    """Name, amount and limit of everything that the ceiling limits."""
    month, cost = of_lines(bill.lines, ceiling.binds), COSTS.get(ceiling.binds, ceiling.binds)
    if ceiling.usd_per_month is not None:
        yield f"{cost} of a month", month, ceiling.usd_per_month
    if ceiling.usd_per_contract is not None and contract_months:
        yield f"{cost} over {contract_months} months", month.times(contract_months), ceiling.usd_per_contract
    if ceiling.usd_per_gpu_hour is not None and usd_per_gpu_hour is not None:
        yield "an accelerator for an hour", usd_per_gpu_hour, ceiling.usd_per_gpu_hour


def describe_unpriced(bill: Bill) -> str:
    """The first names of the lines that have neither price nor bound."""
    names = [line.label for line in bill.unpriced if is_open(line)]
    names = names or [line.label for line in bill.unpriced]
    rest = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"no price is known for {'; '.join(names[:_NAMED])}{rest}"


def _usd(amount: Decimal) -> str:
    return f"{to_cents(amount):,} USD"


@dataclass(frozen=True, slots=True)
class Interval:
    """An amount between two ends.

    Args:
        low: what it comes to at least.
        high: what it comes to at most; None where nothing bounds it.

    Raises:
        ValueError: the high end below the low one.
    """

    low: Decimal
    high: Decimal | None

    def __post_init__(self) -> None:
        if self.high is not None and self.high < self.low:
            raise ValueError(f"an interval rises: {self.low}, {self.high}")

    def __add__(self, other: Interval) -> Interval:
        high = None if self.high is None or other.high is None else self.high + other.high
        return Interval(self.low + other.low, high)

    def times(self, factor: Decimal | int) -> Interval:
        """The same, scaled by a non-negative factor."""
        return Interval(self.low * factor, None if self.high is None else self.high * factor)

    def against(self, limit: Decimal) -> Verdict:
        """Within where the high end is, over where the low end is, else undetermined."""
        if self.low > limit:
            return Verdict.OVER
        return Verdict.WITHIN if self.high is not None and self.high <= limit else Verdict.UNDETERMINED


NO_AMOUNT: Final = Interval(ZERO, ZERO)


def exactly(amount: Decimal) -> Interval:
    return Interval(amount, amount)


def of_line(line: LineItem, reading: str) -> Interval:
    """One line a month in one of the readings "min", "expected" and "max"; what is unpriced begins at nothing."""
    if line.state is State.UNPRICED or line.usd_per_month is None:
        return Interval(ZERO, line.at_most_usd_per_month)
    read: Callable[[Range], Decimal] = attrgetter(reading)
    if line.usd_per_unit_range is not None:
        quantity, rates = read(line.quantity), line.usd_per_unit_range
        return Interval(quantity * rates.min, quantity * rates.max)
    return exactly(read(line.usd_per_month))


def of_lines(lines: Iterable[LineItem], reading: str, *, among: Iterable[LineItem] | None = None) -> Interval:
    """Lines together; shares of the bill move with what the unpriced and the estimated ones may come to.

    Args:
        among: the whole bill, where the lines are a part of it.
    """
    mine = tuple(lines)
    every = mine if among is None else tuple(among)
    together = sum((of_line(line, reading) for line in mine), start=NO_AMOUNT)
    shifts = [_shift(line, every, reading) for line in mine if is_share(line)]
    low, high = (sum(ends, start=ZERO) for ends in zip(*shifts, (ZERO, ZERO), strict=True))
    if together.high is None or (shifts and any(is_open(line) for line in every)):
        return Interval(together.low + low, None)
    return Interval(together.low + low, together.high + high)


def is_open(line: LineItem) -> bool:
    """Whether a line has neither a price nor a bound, so that nothing says what it comes to at most."""
    return line.state is State.UNPRICED and line.at_most_usd_per_month is None


def _shift(share: LineItem, lines: Iterable[LineItem], reading: str) -> tuple[Decimal, Decimal]:
    """By how much a share of the bill shrinks and grows at most, the first not above 0.

    Later tiers of it are cheaper, so that the first one counts.
    """
    if "#" in share.key or share.usd_per_unit is None:
        return ZERO, ZERO
    near = (each for each in lines if is_counted_in_share(share, each) or not has_placement(each.key))
    low = high = ZERO
    for line in near:
        counted = attrgetter(reading)(line.usd_per_month) if line.usd_per_month else ZERO
        ends = of_line(line, reading)
        low += min(ends.low - counted, ZERO)
        high += (counted if ends.high is None else ends.high) - counted
    return low * share.usd_per_unit, high * share.usd_per_unit


def is_share(line: LineItem) -> bool:
    """Whether a priced line is a share of the rest of its cluster's bill, as support is."""
    return line.item in LEAST_BILL_USD and line.state is State.PRICED and line.source != STATED_SOURCE


def is_counted_in_share(share: LineItem, line: LineItem) -> bool:
    """Whether a share of the bill counts a line: of the same cluster, services of people left out."""
    return line.group is not BillGroup.SERVICES and placement_of(line.key) == placement_of(share.key)


def with_bounds(bill: Bill, at_most: Callable[[LineItem], Decimal | None]) -> Bill:
    """The bill with a bound on those unpriced lines that have none, where `at_most` knows one."""

    def line_of(line: LineItem) -> LineItem:
        if line.state is not State.UNPRICED or line.at_most_usd_per_month is not None:
            return line
        return replace(line, at_most_usd_per_month=at_most(line))

    return Bill(tuple(line_of(line) for line in bill.lines))
