"""The verdict on a bill and its ceiling: within, over or undetermined, by intervals; of quotes, plans and policies."""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from planning.costs.bill import Bill, BillGroup, has_placement, placement_of
from planning.costs.pricing import LEAST_BILL_USD, STATED_SOURCE
from planning.spec.lock_content import State
from planning.values.money import ZERO, to_cents
from planning.values.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from decimal import Decimal

    from planning.costs.bill import LineItem
    from planning.spec.lock import Ceilings


_NAMED: Final = 3
# Which of the three readings of a bill a ceiling applies to, in the words of a verdict.
COSTS: Final = {"min": "the minimum cost", "expected": "the expected cost", "max": "the maximum cost"}
NO_CEILING: Final = "no ceiling is set"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """A verdict and the sentence that explains it."""

    verdict: Verdict
    reason: str


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
        return Judgement(verdict=Verdict.UNDETERMINED, reason=describe_unpriced(bill))
    what, amount, limit = limits[0]
    most = "" if amount.high == amount.low or amount.high is None else f" to {_usd(amount.high)}"
    return Judgement(verdict=Verdict.WITHIN, reason=f"{what} is {_usd(amount.low)}{most}, the ceiling {_usd(limit)}")


def _without_limit(bill: Bill) -> Judgement:
    if any(line.at_most_usd_per_month is None for line in bill.unpriced):
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
    names = [line.label for line in bill.unpriced if line.at_most_usd_per_month is None]
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
    amount: Decimal = attrgetter(reading)(line.usd_per_month)
    return exactly(amount)


def of_lines(lines: Iterable[LineItem], reading: str, *, among: Iterable[LineItem] | None = None) -> Interval:
    """Lines together; shares of the bill grow with what the unpriced ones may come to.

    Args:
        among: the whole bill, where the lines are a part of it.
    """
    mine = tuple(lines)
    every = mine if among is None else tuple(among)
    together = sum((of_line(line, reading) for line in mine), start=NO_AMOUNT)
    if any(line.state is State.UNPRICED and line.at_most_usd_per_month is None for line in every):
        shared = any(is_share(line) for line in mine)
        return Interval(together.low, None if shared else together.high)
    grown = sum((_growth(line, every) for line in mine if is_share(line)), start=ZERO)
    return together if together.high is None else Interval(together.low, together.high + grown)


def _growth(share: LineItem, lines: Iterable[LineItem]) -> Decimal:
    """By how much a share of the bill grows at most; later tiers of it are cheaper, so that the first one counts."""
    if "#" in share.key or share.usd_per_unit is None:
        return ZERO
    near = (each for each in lines if is_counted_in_share(share, each) or not has_placement(each.key))
    unknown = (each.at_most_usd_per_month or ZERO for each in near)
    return sum(unknown, start=ZERO) * share.usd_per_unit


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
