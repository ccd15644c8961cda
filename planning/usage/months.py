"""Usage by calendar month, and the ranges that whole months give."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Final

from planning.usage.meters import CATEGORY, QUANTITY, ROW, START, STORED, factor, find_usage
from planning.values.money import ZERO, Range

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

GROWTH: Final = "growth"
USED: Final = frozenset({"usage", "discountedusage", "savingsplancoveredusage", "regular", ""})  # FOCUS, CUR, BigQuery
LEAST_DAYS: Final = 25  # of a month, to count as a whole one
Month = tuple[int, int]


@dataclass(slots=True)
class MonthlyUsage:
    """What rows add up to.

    Args:
        amounts: usage to month to GB, GB-months or requests.
        days: days of each month that any row is of.
        odd: units that nobody knows, with how many rows have them.
        broken: rows whose day or quantity cannot be read.
        twice: rows that an earlier file had too.
        seen: what tells the rows of earlier files.
    """

    amounts: dict[str, dict[Month, Decimal]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(Decimal)))
    days: dict[Month, set[int]] = field(default_factory=lambda: defaultdict(set[int]))
    odd: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    rows: int = 0
    broken: int = 0
    twice: int = 0
    seen: set[str] = field(default_factory=set[str])

    def take(self, rows: Iterable[Mapping[str, str]]) -> None:
        """Add the rows of one file in FOCUS columns; a row that an earlier file had too counts once."""
        here: set[str] = set()
        for row in rows:
            self.rows += 1
            self._take(row, here)
        self.seen |= here

    def _take(self, row: Mapping[str, str], here: set[str]) -> None:
        if row.get(CATEGORY, "").casefold() not in USED:
            return
        try:
            day = _moment(row[START])
            # What is no use of ours may have no quantity (FOCUS: null where nothing is consumed); 0 is never assumed.
            quantity = Decimal(row[QUANTITY] or ("" if find_usage(row) else "0"))
        except (KeyError, ValueError, OverflowError, InvalidOperation):
            self.broken += 1
            return
        if not quantity.is_finite():
            self.broken += 1
            return
        month = (day.year, day.month)
        self.days[month].add(day.day)
        usage = find_usage(row)
        if not usage:
            return
        unit = factor(row, usage, month=month)
        if unit is None:
            self.odd[f"{usage} in {row.get('ConsumedUnit', '')!r}"[:80]] += 1
            return
        if (name := row.get(ROW, "")) in self.seen:
            self.twice += 1
            return
        here.update({name} if name else ())
        self.amounts[usage][month] += quantity * unit

    @property
    def whole(self) -> tuple[Month, ...]:
        """Months of which the rows cover nearly every day, in order."""
        return tuple(sorted(month for month, days in self.days.items() if len(days) >= LEAST_DAYS))

    @property
    def partial(self) -> tuple[Month, ...]:
        return tuple(sorted(set(self.days) - set(self.whole)))


def ranges(found: MonthlyUsage) -> dict[str, Range]:
    """Least, median and most of the whole months, by usage; growth from one month's storage to the next's.

    A correction of an earlier month is a negative quantity; no month comes to less than nothing.
    """
    months = found.whole
    by_usage = {
        usage: [max(amounts.get(month, ZERO), ZERO) for month in months]
        for usage, amounts in found.amounts.items()
        if usage != STORED and months
    }
    stored = [(month, found.amounts[STORED][month]) for month in months if month in found.amounts.get(STORED, {})]
    steps = [
        max(later - earlier, ZERO) / _apart(before, after) for (before, earlier), (after, later) in pairwise(stored)
    ]
    if steps:
        by_usage[GROWTH] = steps
    return {usage: Range(min(each), median(each), max(each)) for usage, each in by_usage.items()}


def _moment(text: str) -> datetime:
    """When a row begins, in UTC, by which FOCUS, CUR and BigQuery count.

    Raises:
        ValueError: it is no time.
    """
    found = datetime.fromisoformat(text.strip().removesuffix(" UTC"))
    return found if found.tzinfo is None else found.astimezone(UTC)


def _apart(one: Month, other: Month) -> int:
    return (other[0] - one[0]) * 12 + other[1] - one[1]


def format_month(month: Month) -> str:
    """A month as in "2026-09"."""
    return f"{month[0]}-{month[1]:02}"
