"""Which line of a bill measures which usage, by calendar month. What is not known for certain measures nothing."""

from __future__ import annotations

import re
from calendar import monthrange
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Final

from catalogs.model import Item
from planning.usage.columns import (
    CATEGORY,
    ROW,
    START,
    read_quantity,
)
from planning.usage.seen_rows import SeenRows
from planning.usage.skus import find_item
from planning.values.money import ZERO, Range

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


EGRESS: Final = "egress"
INGRESS: Final = "ingress"
LOGS: Final = "logs"
STORED: Final = "stored"  # GB-months in object storage, from which growth is told
WRITES: Final = "writes"
READS: Final = "reads"
VOLUMES: Final = frozenset({EGRESS, INGRESS, LOGS, STORED})


# What a checklist foresees, by the item that it is paid as. Data that comes in is free, so no price list has it.
USAGES: Final[Mapping[str, str]] = {
    Item.INTERNET_EGRESS: EGRESS,
    "internet_ingress": INGRESS,
    Item.LOG_INGEST: LOGS,
    Item.OBJECT: STORED,
    Item.OBJECT_PUT: WRITES,
    Item.OBJECT_GET: READS,
}

# AWS sells "GB" of 2^30 bytes (aws.amazon.com/s3/pricing, note on units); ours have 10^9.
_GIB: Final = Decimal(2**30) / 10**9
_GIGABYTES: Final[Mapping[str, Decimal]] = {
    "gb": _GIB,
    "gigabytes": _GIB,
    "gib": _GIB,
    "gibibyte": _GIB,
    "gibibytes": _GIB,
    "bytes": Decimal(1) / 10**9,
    "byte": Decimal(1) / 10**9,
    "b": Decimal(1) / 10**9,
    "tb": _GIB * 1024,
    "tib": _GIB * 1024,
    "tebibyte": _GIB * 1024,
    "mebibyte": _GIB / 1024,
}
_MONTHS: Final[Mapping[str, Decimal]] = {
    "gb-mo": _GIB,
    "gb-month": _GIB,
    "gb-months": _GIB,
    "gibibyte month": _GIB,
    "gibibyte-month": _GIB,
}
_OF_TIME: Final[Mapping[str, Decimal]] = {  # GB-seconds in a unit, which the length of the month makes GB-months
    "byte-seconds": Decimal(1) / 10**9,
    "gib-hour": _GIB * 3600,
    "gib-hours": _GIB * 3600,
}
_COUNTS: Final[Mapping[str, Decimal]] = {
    "requests": Decimal(1),
    "request": Decimal(1),
    "count": Decimal(1),
    "operations": Decimal(1),
    "": Decimal(1),
}


def find_usage(row: Mapping[str, str]) -> str:
    """What a row measures; "" for nothing of ours."""
    return USAGES.get(find_item(row), "")


def factor(row: Mapping[str, str], usage: str, *, month: tuple[int, int]) -> Decimal | None:
    """What one of the row's units is in GB, GB-months or requests; None for an unknown unit.

    Args:
        month: year and month of the row: what lies still must not seem to grow where a month is longer.
    """
    unit = read_quantity(row)[1].strip().casefold()
    if usage == STORED and unit in _OF_TIME:
        return _OF_TIME[unit] / (monthrange(*month)[1] * 86_400)
    units = _MONTHS if usage == STORED else _GIGABYTES if usage in VOLUMES else _COUNTS
    return units.get(unit)


GROWTH: Final = "growth"
USED: Final = frozenset({"usage", "discountedusage", "savingsplancoveredusage", "regular", ""})  # FOCUS, CUR, BigQuery
LEAST_DAYS: Final = 25  # of a month, to count as a whole one
Month = tuple[int, int]
MONTH: Final = re.compile(r"[0-9]{4}-(?:0[1-9]|1[0-2])")


@dataclass(slots=True)
class MonthlyUsage:
    """What rows add up to.

    Args:
        amounts: usage to month to GB, GB-months or requests.
        days: days of each month that any row is of.
        odd: unknown units, with the number of rows that have them.
        broken: rows whose day or quantity cannot be read.
        seen: the rows of earlier files.
    """

    amounts: dict[str, dict[Month, Decimal]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(Decimal)))
    days: dict[Month, set[int]] = field(default_factory=lambda: defaultdict(set[int]))
    odd: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    rows: int = 0
    broken: int = 0
    seen: SeenRows = field(default_factory=SeenRows)

    def take(self, rows: Iterable[Mapping[str, str]]) -> None:
        """Add the rows of one file in FOCUS columns; a row that an earlier file had too counts once."""
        for row in rows:
            self.rows += 1
            self._take(row)
        self.seen.end_file()

    def _take(self, row: Mapping[str, str]) -> None:
        if row.get(CATEGORY, "").casefold() not in USED:
            return
        try:
            day = read_moment(row[START])
            # What is no use of ours may have no quantity (FOCUS: null where nothing is consumed); 0 is never assumed.
            quantity = Decimal(read_quantity(row)[0] or ("" if find_usage(row) else "0"))
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
            self.odd[f"{usage} in {read_quantity(row)[1]!r}"[:80]] += 1
            return
        if self.seen.is_new(row.get(ROW, "")):
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
        max(later - earlier, ZERO) / ((after[0] - before[0]) * 12 + after[1] - before[1])
        for (before, earlier), (after, later) in pairwise(stored)
    ]
    if steps:
        by_usage[GROWTH] = steps
    return {usage: Range(min(each), median(each), max(each)) for usage, each in by_usage.items()}


@lru_cache(maxsize=10_000)
def read_moment(text: str) -> datetime:
    """When a row begins, in UTC, by which FOCUS, CUR and BigQuery count.

    Raises:
        ValueError: it is no time.
    """
    found = datetime.fromisoformat(text.strip().removesuffix(" UTC"))
    return found if found.tzinfo is None else found.astimezone(UTC)


def format_month(month: Month) -> str:
    """A month as in "2026-09"."""
    return f"{month[0]}-{month[1]:02}"


def read_month(text: str) -> Month:
    """The month in "2026-09".

    Raises:
        ValueError: it is none.
    """
    if not MONTH.fullmatch(text):
        raise ValueError(f"{text!r} is no month")
    year, month = text.split("-")
    return int(year), int(month)
