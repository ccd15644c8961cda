"""Interval arithmetic over a bill: what it comes to at least and at most, and what that says of a limit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from planning.costs.bill import Bill, BillGroup, has_placement, placement_of
from planning.costs.pricing import LEAST_BILL_USD, STATED_SOURCE
from planning.spec.lock_content import State
from planning.values.money import ZERO
from planning.values.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from decimal import Decimal

    from planning.costs.bill import LineItem


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
        """Within where even the most is, over where even the least is, else nobody can tell."""
        if self.low > limit:
            return Verdict.OVER
        return Verdict.WITHIN if self.high is not None and self.high <= limit else Verdict.CANNOT_TELL


NOTHING: Final = Interval(ZERO, ZERO)


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
    together = sum((of_line(line, reading) for line in mine), start=NOTHING)
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
