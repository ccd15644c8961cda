"""What a stack used and paid, as tables."""

from __future__ import annotations

from calendar import monthrange
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from rich.text import Text

from cli.terminal.amounts import NOT_KNOWN, usd
from cli.terminal.tables import make_table
from planning.usage.actual_costs import describe_foreign
from planning.usage.checklist_section import COUNTS
from planning.usage.meters import format_month
from planning.values.money import ZERO
from planning.values.printable import printable_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.console import RenderableType

    from planning.usage.actual_costs import ActualCosts
    from planning.usage.comparison import ComparedForm, UnratedForm, UsageComparisonForm
    from planning.usage.meters import MonthlyUsage
    from planning.values.money import Range


MOST_NAMED: Final = 8  # of what is not in the plan, and of what has no price
SPREAD: Final = ("low", "expected", "high")
WARNING: Final = "yellow"


def usage_parts(
    measured: Mapping[str, Range], found: MonthlyUsage, costs: ActualCosts, unrated: Sequence[UnratedForm]
) -> Iterator[RenderableType]:
    if measured:
        rows = (
            (
                name,
                "requests a month" if name in COUNTS else "GB a month",
                *(f"{each:,.1f}" for each in amounts.readings),
            )
            for name, amounts in sorted(measured.items())
        )
        yield make_table(("usage", "unit", *SPREAD), rows, right=SPREAD)
        yield Text(f"whole months: {', '.join(format_month(month) for month in found.whole)} ({found.rows:,} rows)")
        if len(found.whole) == 1:
            yield Text("one month says nothing of how months differ: low, expected and high are the same")
    if found.partial:
        yield Text(f"left out, not complete: {', '.join(format_month(month) for month in found.partial)}")
    for unit, count in sorted(found.odd.items()):
        yield Text(f"left out, unit not known: {unit} ({count} rows)", style=WARNING)
    if found.broken:
        yield Text(f"left out, day or quantity not readable: {found.broken} rows", style=WARNING)
    yield from _show_costs(costs)
    yield from _show_unrated(unrated)
    yield from doubts(costs)


def _show_costs(costs: ActualCosts) -> Iterator[RenderableType]:
    right = ("days", "USD billed", "USD at our rates")
    rows = (
        (
            format_month(month),
            f"{len(spent.days)} of {monthrange(*month)[1]}",
            usd(spent.usd - spent.rated_usd),
            usd(spent.rated_usd) if spent.rated_usd else NOT_KNOWN,
        )
        for month, spent in sorted(costs.months.items())
    )
    if any(spent.usd or spent.unrated for spent in costs.months.values()):
        yield make_table(("month", *right), rows, right=right)


def doubts(costs: ActualCosts) -> Iterator[RenderableType]:
    """What of the rows does not count, or may count twice."""
    if costs.seen.twice:
        yield Text(f"counted once, in more than one file: {costs.seen.twice:,} rows", style=WARNING)
    if costs.seen.repeated:
        yield Text(f"equal to another row of the same file, and counted: {costs.seen.repeated:,} rows", style=WARNING)
    if costs.broken:
        yield Text(f"no cost counted, day or amount not readable: {costs.broken:,} rows", style=WARNING)
    if said := describe_foreign(costs):
        yield Text(f"no cost counted, not in USD: {said}", style=WARNING)


def comparison_parts(form: UsageComparisonForm) -> Iterator[RenderableType]:
    right = ("planned", "actual", "difference")
    rows = [*map(_row, form["parts"]), _row(form["total"], least=bool(form["unrated"]))]
    days, length = form["days"], form["days_of_month"]
    yield Text(f"{form['stack']}, {form['month']}: USD planned ({form['option']}) and actual")
    yield make_table(("part", *right, "range"), rows, right=right, whole=right)
    if days < length:
        yield Text(f"the bill covers {days} of {length} days: the plan is counted for those")
    if form["total"]["estimated"]:
        yield Text(f"~ holds an estimate: {form['total']['estimated']} lines of the plan")
    if form["total"]["unpriced"]:
        yield Text(f">= holds what has no price: {form['total']['unpriced']} lines of the plan")
    if form["total"]["rated_usd"]:
        rated = usd(Decimal(form["total"]["rated_usd"]))
        yield Text(f"* quantities at the lock's prices, for the bill has no cost of them: {rated} USD")
    yield from _show_strange(form)
    yield from _show_unrated(form["unrated"])
    if form["other_months"]:
        yield Text(f"also in the bill: {', '.join(form['other_months'])} (--month)")


def _row(each: ComparedForm, *, least: bool = False) -> tuple[str, ...]:
    """One part; `least` where the actual amount is a floor."""
    several = len(each["components"]) if each["part"] not in each["components"] else 0
    name = f"{printable_line(each['part'])}{f' (of {several})' if several > 1 else ''}"
    planned, actual = each["planned_usd"], each["actual_usd"]
    mark = f"{'>= ' if each['unpriced'] else ''}{'~' if each['estimated'] else ''}"
    return (
        name,
        NOT_KNOWN if planned is None else f"{mark}{usd(Decimal(planned['expected']))}",
        NOT_KNOWN
        if actual is None
        else f"{'>= ' if least else ''}{usd(Decimal(actual))}{'*' if each['rated_usd'] else ''}",
        NOT_KNOWN if each["difference_usd"] is None else f"{Decimal(each['difference_usd']):+,}",
        each["stands"] or NOT_KNOWN,
    )


def _show_strange(form: UsageComparisonForm) -> Iterator[RenderableType]:
    named = form["not_planned"][:MOST_NAMED]
    for each in named:
        yield Text(f"not in the plan: {printable_line(each['name'])}, {usd(Decimal(each['actual_usd']))} USD")
    if left := form["not_planned"][MOST_NAMED:]:
        rest = sum((Decimal(each["actual_usd"]) for each in left), ZERO)
        yield Text(f"not in the plan: {len(left)} others, {usd(rest)} USD; --json names them")


def _show_unrated(unrated: Sequence[UnratedForm]) -> Iterator[RenderableType]:
    for each in unrated[:MOST_NAMED]:
        said = f"{printable_line(each['name'])}, {Decimal(each['quantity']):,.2f} {printable_line(each['unit'])}"
        yield Text(f"not counted, no price: {said} ({printable_line(each['reason'])})", style=WARNING)
    if left := unrated[MOST_NAMED:]:
        yield Text(f"not counted, no price: {len(left)} others; --json names them", style=WARNING)
