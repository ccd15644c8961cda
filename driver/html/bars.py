"""The monthly bill of each option as a stacked bar, with its least and its most, against the ceiling."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from driver.html.grid import grid
from driver.html.markup import Markup, element, words
from driver.html.scale import Scale, scale
from driver.render.amounts import unpriced_note, usd
from driver.render.options import views
from planning.bill import Group, total
from planning.money import ZERO

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from planning.quote import Option

WIDTH: Final = 960
LEFT: Final = 8
RIGHT: Final = 130
ROW: Final = 62
BAR: Final = 24
BELOW_NAME: Final = 22  # pixels from a row's top to its bar; the name stands above, where it may be long
TOP: Final = 34
BOTTOM: Final = 44
FURTHEST_CEILING: Final = Decimal("1.6")  # times the longest bar; further off, the line would squeeze the bars
# Okabe and Ito's colours, told apart by readers with any colour vision.
COLOURS: Final = {
    Group.COMPUTE: "#0072b2",
    Group.CONTROL_PLANE: "#56b4e9",
    Group.STORAGE: "#009e73",
    Group.NETWORK: "#e69f00",
    Group.OBSERVABILITY: "#cc79a7",
    Group.SECURITY: "#b8a800",
    Group.SERVICES: "#d55e00",
}


def bill_chart(options: Sequence[Option], *, ceiling: Decimal | None) -> Markup:
    """Stacked bars at the expected reading, whiskers from min to max, and the ceiling as a line."""
    longest = max((option.bill.usd_per_month.max for option in options), default=ZERO)
    near = ceiling is not None and ceiling <= longest * FURTHEST_CEILING
    reach = max(longest, ceiling) if ceiling is not None and near else longest
    axis = scale(reach, left=LEFT, width=WIDTH - LEFT - RIGHT)
    height = TOP + ROW * len(options) + BOTTOM
    rows = (part for number, option in enumerate(options) for part in _row(option, axis, y=TOP + ROW * number))
    return element(
        "svg",
        element("title", words("Monthly bill of each option in USD: expected by chapter, from min to max")),
        *grid(axis, top=TOP - 8, bottom=height - BOTTOM, unit="USD per month", shown="{:,.0f}".format),
        *rows,
        *(_ceiling(axis, ceiling, height=height) if ceiling is not None and near else ()),
        viewBox=f"0 0 {WIDTH} {height}",
        role="img",
    )


def legend(options: Sequence[Option]) -> Markup:
    """The chapters that occur, with their colours."""
    found = {line.group for option in options for line in option.bill.lines}
    return element(
        "p",
        *(
            element("span", element("i", style=f"background:{colour}"), words(group.value))
            for group, colour in COLOURS.items()
            if group in found
        ),
        class_="legend",
    )


def _row(option: Option, axis: Scale, *, y: int) -> Iterator[Markup]:
    places = " + ".join(f"{each.placement.provider} {each.placement.region}" for each in option.placements)
    where = element("tspan", words(f"  {places}"), class_="where")
    yield element("text", words(views(option)), where, x=LEFT, y=y + 14, class_="name")
    yield from _stack(option, axis, y=y + BELOW_NAME)
    yield from _whisker(option, axis, y=y + BELOW_NAME + BAR // 2)


def _stack(option: Option, axis: Scale, *, y: int) -> Iterator[Markup]:
    start = ZERO
    for group, colour in COLOURS.items():
        amount = total(line for line in option.bill.lines if line.group is group).expected
        if amount == ZERO:
            continue
        hover = element("title", words(f"{group}: {usd(amount)} USD a month"))
        x = axis.at(start)
        bar = element("rect", x=x, y=y, width=axis.at(start + amount) - x, height=BAR, fill=colour)
        yield element("g", hover, bar)
        start += amount


def _whisker(option: Option, axis: Scale, *, y: int) -> Iterator[Markup]:
    """A line from min to max with its ends, and the expected amount in words behind it."""
    amount = option.bill.usd_per_month
    left, right = axis.at(amount.min), axis.at(amount.max)
    yield element("line", x1=left, x2=right, y1=y, y2=y, class_="whisker")
    for x in (left, right):
        yield element("line", x1=x, x2=x, y1=y - 6, y2=y + 6, class_="whisker")
    missing = len(option.bill.unpriced)
    behind = max(right, axis.at(amount.expected)) + 8
    least = ">= " if missing else ""
    yield element("text", words(f"{least}{usd(amount.expected)}"), x=behind, y=y - 4, class_="amount")
    if missing:
        yield element("text", words(unpriced_note(missing)), x=behind, y=y + 15, class_="unpriced")


def _ceiling(axis: Scale, ceiling: Decimal, *, height: int) -> Iterator[Markup]:
    x = axis.at(ceiling)
    yield element("line", x1=x, x2=x, y1=TOP - 12, y2=height - BOTTOM + 4, class_="ceiling")
    yield element("text", words(f"ceiling {usd(ceiling)}"), x=x, y=TOP - 18, class_="ceiling-name")
