"""The expected month of each option as a stacked bar of its chapters, against the ceiling."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from cli.pages.charts.axes import (
    BOLD_LETTER,
    WIDTH,
    Scale,
    draw_horizontal_axis,
    drawing,
    heading,
    scale,
    text,
    with_hover,
)
from cli.pages.documents.html import Markup, element, escape_text
from cli.terminal.amounts import total as said_total
from cli.terminal.amounts import usd
from cli.views.quote.options import option_title, places
from planning.costs.bill import BillGroup, total
from planning.values.money import ZERO

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from planning.quoting.quote import Option

LEFT: Final = 4
RIGHT: Final = 14
BILL_ROW: Final = 66
BILL_BAR: Final = 26
BELOW_NAME: Final = 26  # pixels from a row's top to its bar; name and amount stand above, where there is room for them
TOP: Final = 34
BOTTOM: Final = 56
BILL_CEILING: Final = Decimal("1.6")  # times the longest bar; further off, the line would squeeze the bars


def bill_chart(options: Sequence[Option], *, ceiling: Decimal | None) -> Markup:
    longest = max((option.bill.usd_per_month.expected for option in options), default=ZERO)
    near = ceiling is not None and ceiling <= longest * BILL_CEILING
    axis = scale(
        max(longest, ceiling) if ceiling is not None and near else longest, left=LEFT, width=WIDTH - LEFT - RIGHT
    )
    height = TOP + BILL_ROW * len(options) + BOTTOM
    rows = (part for at, option in enumerate(options) for part in _row(at, option, axis, y=TOP + BILL_ROW * at))
    return drawing(
        "bill",
        *draw_horizontal_axis(axis, top=TOP - 6, bottom=height - BOTTOM, unit="USD a month, expected"),
        *(ceiling_line(axis, ceiling, top=TOP - 10, bottom=height - BOTTOM) if ceiling is not None and near else ()),
        *rows,
        title="Expected monthly bill of each option in USD, by chapter of the bill",
        description="; ".join(_describe_bar(at, option) for at, option in enumerate(options)),
        height=height,
    )


def legend(options: Sequence[Option]) -> Markup:
    found = {group for option in options for group, _ in chapters(option)}
    return element(
        "p",
        *(
            element("span", element("i", class_=slug(group)), escape_text(group.value))
            for group in BillGroup
            if group in found
        ),
        class_="legend",
    )


def chapters(option: Option) -> Iterator[tuple[BillGroup, Decimal]]:
    for group in BillGroup:
        amount = total(line for line in option.bill.lines if line.group is group).expected
        if amount > ZERO:
            yield group, amount


def slug(group: BillGroup) -> str:
    return f"part {group.value.replace(' ', '-')}"


def ceiling_line(axis: Scale, ceiling: Decimal, *, top: float, bottom: float) -> Iterator[Markup]:
    x = axis.at(ceiling)
    yield element("line", x1=x, x2=x, y1=top, y2=bottom, class_="ceiling")
    side = "ceiling-name left" if x > WIDTH / 2 else "ceiling-name"
    yield text(f"ceiling {usd(ceiling)}", x=x, y=top - 6, class_=side)


def _describe_bar(at: int, option: Option) -> str:
    parts = ", ".join(f"{group.value} {usd(amount)}" for group, amount in chapters(option))
    return f"{option_title(at, option)}: {said_total(option.bill.usd_per_month.expected, bill=option.bill)} ({parts})"


def _row(at: int, option: Option, axis: Scale, *, y: int) -> Iterator[Markup]:
    name, where = option_title(at, option), f"  {places(option)}"
    amount = said_total(option.bill.usd_per_month.expected, bill=option.bill)
    fits = len(name + where + amount) * BOLD_LETTER <= WIDTH - LEFT - RIGHT
    yield heading(name, beside=where if fits else "", amount=amount, x=LEFT, y=y + 17)
    yield from _stack(option, axis, y=y + BELOW_NAME)
    yield text(amount, x=WIDTH - RIGHT - 8, y=y + 17, class_="amount end")


def _stack(option: Option, axis: Scale, *, y: int) -> Iterator[Markup]:
    start = ZERO
    for group, amount in chapters(option):
        x = axis.at(start)
        bar = element("rect", x=x, y=y, width=axis.at(start + amount) - x, height=BILL_BAR, class_=slug(group))
        yield with_hover(f"{group.value}: {usd(amount)} USD a month", bar)
        start += amount
