"""What a stack really cost, by month: rows of bills added up to the items and pools that a lock plans.

Memory does not grow with the rows: sums are kept, by item and pool, and at most `MOST_NAMES` names that no item has.
"""

from __future__ import annotations

import json
from calendar import monthrange
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Final, NamedTuple

from planning.usage.columns import (
    CAPACITY_PLAN,
    CATEGORY,
    CLUSTER,
    COSTS,
    CREDITS,
    CURRENCY,
    END,
    POOL,
    ROW,
    START,
    read_quantity,
)
from planning.usage.meters import USED, format_month, read_moment
from planning.usage.rates import NoRate
from planning.usage.seen_rows import SeenRows
from planning.usage.skus import MOST_NAME, find_item, name_sku
from planning.values.errors import InputError
from planning.values.json_format import to_mappings
from planning.values.money import ZERO, parse_amount

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime

    from planning.usage.meters import Month
    from planning.usage.rates import LockedRates


USD: Final = "USD"
MOST_NAMES: Final = 1_000  # of what no item is of, in a month
MOST_MONTHS: Final = 120
MOST_UNIT: Final = 40
REST: Final = "everything else"
# Kinds of charges that are no use of a service, by what exports call them: FOCUS, CUR and BigQuery.
KINDS: Final[Mapping[str, str]] = {
    "tax": "tax",
    "credit": "credits and refunds",
    "refund": "credits and refunds",
    "bundleddiscount": "credits and refunds",
    "discount": "credits and refunds",
    "edpdiscount": "credits and refunds",
    "privateratediscount": "credits and refunds",
    "savingsplannegation": "credits and refunds",
    "adjustment": "adjustments",
    "rounding_error": "adjustments",
}
PROMOTION: Final = "PROMOTION"  # a type of credit (Google Cloud, structure of the detailed data export, credits)
_NO_CREDITS: Final = frozenset({"", "[]"})
PURCHASES: Final = "purchases and fees"
Part = tuple[str, str]  # item, pool; "" where the row does not say


@dataclass(slots=True)
class Spent:
    """What rows come to.

    Args:
        usd: what they cost, billed or at our rates.
        rated_usd: of it what is a quantity at our rates, for the bill has no cost.
    """

    usd: Decimal = ZERO
    rated_usd: Decimal = ZERO
    rows: int = 0

    def add(self, usd: Decimal, *, rated: bool) -> None:
        self.usd += usd
        self.rated_usd += usd if rated else ZERO
        self.rows += 1


class Unrated(NamedTuple):
    """A quantity without a price."""

    sku: str
    unit: str
    reason: str


@dataclass(slots=True)
class SpentMonth:
    """One month of one stack.

    Args:
        days: days that any use is of.
        parts: use by item and pool.
        kinds: charges that are no use.
        strange: use of what no item of ours is, by the name that the bill gives it.
        unrated: quantities that have no price, never 0.
    """

    days: set[int] = field(default_factory=set[int])
    parts: dict[Part, Spent] = field(default_factory=lambda: defaultdict(Spent))
    kinds: dict[str, Spent] = field(default_factory=lambda: defaultdict(Spent))
    strange: dict[str, Spent] = field(default_factory=lambda: defaultdict(Spent))
    unrated: dict[Unrated, Decimal] = field(default_factory=lambda: defaultdict(Decimal))

    @property
    def usd(self) -> Decimal:
        return sum((each.usd for each in self._every), ZERO)

    @property
    def rated_usd(self) -> Decimal:
        return sum((each.rated_usd for each in self._every), ZERO)

    @property
    def _every(self) -> Iterator[Spent]:
        for group in (self.parts, self.kinds, self.strange):
            yield from group.values()


@dataclass(slots=True, kw_only=True)
class ActualCosts:
    """What rows cost, by month.

    Args:
        rates: what prices a quantity; None where there is no lock, and then such rows are listed.
        foreign: currencies other than USD, with the number of rows whose cost is left out.
        broken: rows that cannot be read.
    """

    rates: LockedRates | None = None
    months: dict[Month, SpentMonth] = field(default_factory=dict)
    foreign: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    broken: int = 0
    seen: SeenRows = field(default_factory=SeenRows)
    _views: set[str] = field(default_factory=set[str])

    def watch(self, rows: Iterable[Mapping[str, str]]) -> Iterator[Mapping[str, str]]:
        """The rows of one file as they come, each counted.

        Raises:
            InputError: the same use stands there in two views.
        """
        for row in rows:
            self._take(row)
            yield row
        self.seen.end_file()

    def take(self, rows: Iterable[Mapping[str, str]]) -> None:
        """Count the rows of one file.

        Raises:
            InputError: as `watch`.
        """
        for _ in self.watch(rows):
            pass

    def _take(self, row: Mapping[str, str]) -> None:
        cost = next((row[name] for name in COSTS if row.get(name)), "")
        quantity, unit = read_quantity(row)
        usd, amount = parse_amount(cost or "0"), parse_amount(quantity or "0")
        try:
            begin = read_moment(row[START])
        except (KeyError, ValueError, OverflowError):
            begin = None
        if begin is None or usd is None or amount is None or self._has_no_place(begin):
            self.broken += 1
            return
        if not self.seen.is_new(row.get(ROW, "")):
            return
        month = self.months.setdefault((begin.year, begin.month), SpentMonth())
        category = row.get(CATEGORY, "").casefold()
        if category not in USED:
            if cost and self._is_usd(row):
                month.kinds[KINDS.get(category, PURCHASES)].add(usd, rated=False)
            return
        self._refuse_two_views(row)
        _mark_days(month, begin, row.get(END, ""))
        if cost:
            if self._is_usd(row):
                lowered, granted = _read_credits(row.get(CREDITS, ""))
                self._add(month, row, usd + lowered, rated=False)
                if granted:
                    month.kinds[KINDS["credit"]].add(granted, rated=False)
        elif amount:
            self._rate(month, row, quantity=amount, unit=unit)

    def _has_no_place(self, begin: datetime) -> bool:
        """Whether a file names more months than any bill has."""
        return (begin.year, begin.month) not in self.months and len(self.months) >= MOST_MONTHS

    def _is_usd(self, row: Mapping[str, str]) -> bool:
        currency = row.get(CURRENCY, "").strip().upper()
        if currency != USD:
            self.foreign[currency[:8] if len(self.foreign) < MOST_MONTHS else REST] += 1
        return currency == USD

    def _find_item(self, row: Mapping[str, str]) -> str:
        if self.rates is None:
            return ""
        return find_item(row, providers=self.rates.providers, machines=self.rates.machines)

    def _add(self, month: SpentMonth, row: Mapping[str, str], usd: Decimal, *, rated: bool) -> None:
        item, pool = self._find_item(row), row.get(POOL, "")[:MOST_NAME]
        if (item or pool) and ((item, pool) in month.parts or len(month.parts) < MOST_NAMES):
            month.parts[item, pool].add(usd, rated=rated)
            return
        name = name_sku(row)
        known = name in month.strange or len(month.strange) < MOST_NAMES
        month.strange[name if known else REST].add(usd, rated=rated)

    def _rate(self, month: SpentMonth, row: Mapping[str, str], *, quantity: Decimal, unit: str) -> None:
        """Count a quantity that the bill has no cost of; where it has no price, list it."""
        item = self._find_item(row)
        if self.rates is None:
            found: Decimal | NoRate = NoRate("there is no lock, so no price")
        elif item:
            found = self.rates.price(row, item, quantity=quantity, unit=unit)
        else:
            found = NoRate("no item of the price list")
        if isinstance(found, NoRate):
            name = Unrated(name_sku(row), unit[:MOST_UNIT], found.reason)
            known = name in month.unrated or len(month.unrated) < MOST_NAMES
            month.unrated[name if known else Unrated(REST, "", "too many names")] += quantity if known else ZERO
        else:
            self._add(month, row, found, rated=True)

    def _refuse_two_views(self, row: Mapping[str, str]) -> None:
        """Refuse a use that is counted by cluster and again by capacity plan.

        Raises:
            InputError: it is.
        """
        view = CAPACITY_PLAN if row.get(CAPACITY_PLAN) else CLUSTER if row.get(CLUSTER) else ""
        if not view or view in self._views:
            return
        self._views.add(view)
        if len(self._views) > 1:
            raise InputError(
                "the same use twice: some rows are by cluster, some by capacity plan",
                hint="export once: by capacity plan, which tells how hours are bought, or by location",
            )


def _read_credits(text: str) -> tuple[Decimal, Decimal]:
    """What lowers a row's cost (discounts of a commitment or of sustained use), and what is granted beside it."""
    lowered, granted = ZERO, ZERO
    if text in _NO_CREDITS:
        return lowered, granted
    try:
        listed: object = json.loads(text)
    except (ValueError, RecursionError):
        return lowered, granted
    for each in to_mappings(listed):
        usd = parse_amount(str(each.get("amount", ""))) or ZERO
        if each.get("type") == PROMOTION:
            granted += usd
        else:
            lowered += usd
    return lowered, granted


def _mark_days(month: SpentMonth, begin: datetime, end: str) -> None:
    """Mark the days of a charge period; the last is the one before its end, and none lies in another month."""
    last = begin.day
    if end:
        try:
            until = read_moment(end) - timedelta(microseconds=1)
        except (ValueError, OverflowError):
            until = begin
        if (until.year, until.month) > (begin.year, begin.month):
            last = monthrange(begin.year, begin.month)[1]
        elif (until.year, until.month) == (begin.year, begin.month):
            last = max(until.day, begin.day)
    month.days.update(range(begin.day, last + 1))


def describe_foreign(found: ActualCosts) -> str:
    """Rows whose cost is not in USD, in words; "" for none."""
    each = (f"{currency or 'no currency'} ({count:,} rows)" for currency, count in sorted(found.foreign.items()))
    return ", ".join(each)


def refuse_foreign(found: ActualCosts) -> None:
    """Refuse costs that are not in USD.

    Raises:
        InputError: names the currencies.
    """
    if said := describe_foreign(found):
        raise InputError(f"costs are not all in USD: {said}", hint="a plan is in USD; export the bill in USD")


def pick_month(found: ActualCosts, asked: Month | None) -> Month:
    """The month that is asked for, else the newest that has a use.

    Raises:
        InputError: no row is of it, or of any month.
    """
    used = [month for month, spent in sorted(found.months.items()) if spent.days]
    if not used:
        raise InputError("no row is of this stack", hint="check --tag; --all-rows takes every row of the account")
    if asked is None:
        return used[-1]
    if asked not in used:
        there = ", ".join(format_month(month) for month in used)
        raise InputError(f"no row is of {format_month(asked)}", hint=f"there are rows of {there}")
    return asked
