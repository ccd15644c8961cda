"""Renting against buying: the total spent by each month, and the month from which buying is cheaper."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from cli.pages.charts.axes import WIDTH, Scale, draw_vertical_axis, drawing, scale, text, vertical_pixel
from cli.pages.documents.html import Markup, element
from cli.terminal.amounts import usd
from cli.views.quote.options import letter

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from planning.quoting.price_performance import OwnershipCosts
    from planning.quoting.quote import Buying

LEFT: Final = 76
OWNERSHIP_RIGHT: Final = 20
TOP: Final = 64
TALL: Final = 260
BOTTOM: Final = 56
HALF_A_NAME: Final = 200.0  # pixels on a phone
HALF_YEAR: Final = Decimal(6)  # months between two lines of the grid


def owning_chart(buying: Buying, spent: OwnershipCosts, *, every: Sequence[int]) -> Markup:
    """Two lines over the months that the servers are kept.

    Args:
        every: places of the options for which this holds.
    """
    months = Scale(Decimal(len(spent.owned) - 1), LEFT, WIDTH - LEFT - OWNERSHIP_RIGHT)
    amounts = scale(max(*spent.owned, *spent.rented), left=TOP, width=TALL)
    letters = ", ".join(letter(at) for at in every)
    return drawing(
        f"buying-{letter(every[0])}",
        *_months(months),
        *draw_vertical_axis(amounts, height=TALL, left=LEFT, right=WIDTH - OWNERSHIP_RIGHT, unit="USD in total"),
        *_line(spent.rented, months, amounts, class_="rented"),
        *_line(spent.owned, months, amounts, class_="owned"),
        *_find_break_even(buying, spent, months, amounts),
        title=f"{letters}: total USD spent by each month, rented and bought",
        description=_describe_purchase(buying),
        height=TOP + TALL + BOTTOM,
    )


def _describe_purchase(buying: Buying) -> str:
    even = (
        f"buying is cheaper from month {buying.break_even_month}"
        if buying.break_even_month
        else "buying is not cheaper while they are kept"
    )
    count = "1 server" if buying.servers == 1 else f"{buying.servers} servers"
    return (
        f"{count} of your own cost {usd(buying.usd_per_year)} USD a year, "
        f"renting {usd(buying.rent_usd_per_year)} USD a year; {even}"
    )


def _months(axis: Scale) -> Iterator[Markup]:
    for number in range(int(axis.most / HALF_YEAR) + 1):
        x = axis.at(number * HALF_YEAR)
        yield element("line", x1=x, x2=x, y1=TOP, y2=TOP + TALL, class_="grid")
        yield text(str(number * HALF_YEAR), x=x, y=TOP + TALL + 20, class_="tick")
    yield text("month", x=axis.left + axis.width / 2, y=TOP + TALL + 44, class_="tick unit")


def _line(usd_by_month: Sequence[Decimal], months: Scale, amounts: Scale, *, class_: str) -> Iterator[Markup]:
    places = (
        f"{months.at(Decimal(month)):.1f} {vertical_pixel(amounts, amount, height=TALL):.1f}"
        for month, amount in enumerate(usd_by_month)
    )
    yield element("path", d="M" + " L".join(places), class_=class_)


def _find_break_even(buying: Buying, spent: OwnershipCosts, months: Scale, amounts: Scale) -> Iterator[Markup]:
    month = buying.break_even_month
    if month is None:
        yield text("buying is not cheaper within 3 years", x=WIDTH / 2, y=TOP - 14, class_="even-name")
        return
    x, y = months.at(Decimal(month)), vertical_pixel(amounts, spent.owned[month], height=TALL)
    yield element("line", x1=x, x2=x, y1=TOP - 6, y2=TOP + TALL, class_="even")
    yield element("circle", cx=x, cy=y, r=6, class_="dot-even")
    middle = min(max(x, LEFT + HALF_A_NAME), WIDTH - HALF_A_NAME)
    yield text(f"buying is cheaper from month {month}", x=middle, y=TOP - 14, class_="even-name")
