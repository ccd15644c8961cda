"""Planned against actual: the bill of a lock beside what a month's rows come to, part by part.

A part is a component of the bill where the rows say so: by the tag of a pool, or because one component alone has the
item. What several components have and no tag tells apart (disks, addresses) is one part of its own: nothing is split.
"""

from __future__ import annotations

from calendar import monthrange
from collections import defaultdict
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Final, Literal

from pydantic import with_config
from typing_extensions import TypedDict

from planning.costs.bill import component_of
from planning.costs.json_shapes import CLOSED, RangeForm, cents_form
from planning.spec.lock_content import State
from planning.usage.actual_costs import Spent, Unrated
from planning.usage.meters import format_month
from planning.values.json_format import decimal_text
from planning.values.money import HOURS_PER_MONTH, NOTHING, ZERO, Range, to_cents

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from planning.spec.lock_content import Lock, LockedLine
    from planning.usage.actual_costs import ActualCosts, SpentMonth
    from planning.usage.meters import Month


HOURS_PER_DAY: Final = 24
UNPLANNED: Final = "not in the plan"


@with_config(CLOSED)
class ComparedForm(TypedDict):
    """One part of a bill, planned and actual; an amount that is not known is null, never 0."""

    part: str
    """A component, an item that several have, or a kind of charge such as tax."""
    components: list[str]
    planned_usd: RangeForm | None
    """For the days that the bill covers; a floor while `unpriced` is not 0."""
    estimated: int
    """Lines of the plan whose price is an estimate."""
    unpriced: int
    """Lines of the plan without a price."""
    actual_usd: str | None
    """Null where no row of the bill is of this part."""
    rated_usd: str | None
    """Of the actual amount what is a quantity at the lock's prices, for the bill has no cost; null for none."""
    difference_usd: str | None
    """Actual less planned; null where one of them is not known."""
    stands: Literal["under", "within", "over"] | None
    """The actual amount and the plan's range, widened by the hours that the month has more or less than 730."""


@with_config(CLOSED)
class StrangeForm(TypedDict):
    """What the bill has and the plan does not, as the bill calls it."""

    name: str
    actual_usd: str


@with_config(CLOSED)
class UnratedForm(TypedDict):
    """A quantity that has neither a cost nor a price of ours: not counted, which is not the same as 0."""

    name: str
    quantity: str
    unit: str
    reason: str


@with_config(CLOSED)
class UsageComparisonForm(TypedDict):
    """Planned against actual in one month of a stack."""

    stack: str
    option: str
    month: str
    days: int
    """Days that the bill covers."""
    days_of_month: int
    """Where it covers fewer, the plan is counted for those."""
    other_months: list[str]
    """Months that the bill has rows of, too."""
    parts: list[ComparedForm]
    total: ComparedForm
    """Sums of what is known; a floor of the actual amount while `unrated` is not empty."""
    not_planned: list[StrangeForm]
    unrated: list[UnratedForm]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Covered:
    """What of a month a bill covers.

    Args:
        share: of its days.
        hours: of the whole month, in months of a price list.
    """

    share: Decimal
    hours: Decimal


@dataclass(slots=True)
class _Part:
    """Lines of a plan and what rows of them come to."""

    lines: list[LockedLine] = field(default_factory=list["LockedLine"])
    spent: Spent = field(default_factory=Spent)

    def add(self, spent: Spent) -> None:
        self.spent.usd += spent.usd
        self.spent.rated_usd += spent.rated_usd
        self.spent.rows += spent.rows


def compare(lock: Lock, found: ActualCosts, *, month: Month) -> UsageComparisonForm:
    """The plan of a lock beside one month of rows."""
    spent = found.months[month]
    length = monthrange(*month)[1]
    covered = _Covered(share=Decimal(len(spent.days)) / length, hours=Decimal(length * HOURS_PER_DAY) / HOURS_PER_MONTH)
    parts, strange = _sort(lock.bill, spent)
    forms = [_form(name, part, covered=covered) for name, part in parts.items() if part.lines or part.spent.rows]
    whole = _Part([line for part in parts.values() for line in part.lines])
    for part in parts.values():
        whole.add(part.spent)
    return {
        "stack": lock.stack,
        "option": lock.option,
        "month": format_month(month),
        "days": len(spent.days),
        "days_of_month": length,
        "other_months": [format_month(other) for other in sorted(found.months) if other != month],
        "parts": forms,
        "total": _form("total", whole, covered=covered),
        "not_planned": _list_strange(strange),
        "unrated": list_unrated((spent,)),
    }


def _sort(bill: Sequence[LockedLine], spent: SpentMonth) -> tuple[dict[str, _Part], dict[str, Decimal]]:
    """Lines and rows under the part that both are of, in the order of the plan; and USD of what the plan has not."""
    owners = {
        line.item: dict.fromkeys(component_of(each.key) for each in bill if each.item == line.item) for line in bill
    }
    tagged = {name for _, pool in spent.parts if (name := _find_pool(pool, bill))}
    parts: dict[str, _Part] = defaultdict(_Part)
    strange: dict[str, Decimal] = {name: each.usd for name, each in spent.strange.items()}
    for line in bill:
        parts[_name_part(component_of(line.key), line.item, owners=owners, tagged=tagged)].lines.append(line)
    for (item, pool), amount in spent.parts.items():
        every = list(owners.get(item, ()))
        shared = [each for each in every if each not in tagged] or every[: 1 if len(every) == 1 else 0]
        if component := _find_pool(pool, bill):
            parts[component].add(amount)
        elif shared:
            parts[_name_part(shared[0], item, owners=owners, tagged=tagged)].add(amount)
        else:
            parts[UNPLANNED].add(amount)
            name = ", ".join(each for each in (item, f"pool {pool}" if pool else "") if each)
            strange[name] = strange.get(name, ZERO) + amount.usd
    for amount in spent.strange.values():
        parts[UNPLANNED].add(amount)
    for kind, amount in sorted(spent.kinds.items()):
        parts[kind].add(amount)
    return dict(parts), strange


def _name_part(component: str, item: str, *, owners: Mapping[str, Iterable[str]], tagged: set[str]) -> str:
    """The component itself where rows tell it apart, else the item that several have."""
    if component in tagged:
        return component
    others = [each for each in owners[item] if each not in tagged]
    return component if len(others) == 1 else item


def _find_pool(pool: str, bill: Sequence[LockedLine]) -> str:
    """The component of a pool by its tag; "" where there is none, or pools of several placements have the name."""
    if not pool:
        return ""
    found = {name for line in bill if (name := component_of(line.key)).split("/")[-2:] == ["pool", pool]}
    return found.pop() if len(found) == 1 else ""


def _form(name: str, part: _Part, *, covered: _Covered) -> ComparedForm:
    planned = _plan(part.lines, share=covered.share)
    actual = to_cents(part.spent.usd) if part.spent.rows else None
    unpriced = sum(line.state == State.UNPRICED for line in part.lines)
    known = planned is not None and actual is not None and not unpriced
    return {
        "part": name,
        "components": list(dict.fromkeys(component_of(line.key) for line in part.lines)) if name != "total" else [],
        "planned_usd": None if planned is None else cents_form(planned),
        "estimated": sum(line.state == State.ESTIMATED for line in part.lines),
        "unpriced": unpriced,
        "actual_usd": None if actual is None else str(actual),
        "rated_usd": str(to_cents(part.spent.rated_usd)) if part.spent.rated_usd else None,
        "difference_usd": str(actual - to_cents(planned.expected))
        if known and planned and actual is not None
        else None,
        "stands": _judge(actual, planned, hours=covered.hours) if known and planned and actual is not None else None,
    }


def _plan(lines: Iterable[LockedLine], *, share: Decimal) -> Range | None:
    """What is planned for the days that are covered; None where no line has a price."""
    priced = [line.usd_per_month for line in lines if line.usd_per_month is not None]
    amount = NOTHING
    for each in priced:
        amount += Range(*each)
    return amount.times(share) if priced else None


def _judge(actual: Decimal, planned: Range, *, hours: Decimal) -> Literal["under", "within", "over"]:
    """Where an amount stands; what is paid by the hour follows the hours of the month, and a plan's month has 730."""
    if actual < to_cents(planned.min * min(hours, Decimal(1))):
        return "under"
    return "over" if actual > to_cents(planned.max * max(hours, Decimal(1))) else "within"


def _list_strange(strange: Mapping[str, Decimal]) -> list[StrangeForm]:
    """What is not in the plan, most expensive first."""
    ordered = sorted(strange.items(), key=lambda each: (-abs(each[1]), each[0]))
    return [{"name": name, "actual_usd": str(to_cents(usd))} for name, usd in ordered if usd]


def list_unrated(months: Iterable[SpentMonth]) -> list[UnratedForm]:
    """Quantities without a price, of several months together."""
    found: dict[Unrated, Decimal] = defaultdict(Decimal)
    for month in months:
        for each, quantity in month.unrated.items():
            found[each] += quantity
    return [
        {"name": each.sku, "quantity": decimal_text(quantity), "unit": each.unit, "reason": each.reason}
        for each, quantity in sorted(found.items())
    ]
