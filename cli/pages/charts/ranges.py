"""The month of each option from its least to its most, with what is expected, against the ceiling."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from cli.pages.charts.axes import WIDTH, draw_horizontal_axis, drawing, heading, scale, text
from cli.pages.charts.bars import ceiling_line
from cli.pages.documents.html import element
from cli.terminal.amounts import floor, usd
from cli.views.quote.options import option_title
from planning.values.money import ZERO

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from cli.pages.charts.axes import Scale
    from cli.pages.documents.html import Markup
    from planning.quoting.quote import Option

LEFT: Final = 4
RIGHT: Final = 14
ROW: Final = 86
BAR: Final = 18
BELOW_NAME: Final = 26
BELOW_BAR: Final = 64
TOP: Final = 34
BOTTOM: Final = 56
FURTHEST_CEILING: Final = Decimal(3)  # times the longest bar
REACH_LETTER: Final = 13.8  # pixels of a letter below a bar where a phone shows the chart, in the units of the chart


def range_chart(options: Sequence[Option], *, ceiling: Decimal | None) -> Markup:
    most = max((option.bill.usd_per_month.max for option in options), default=ZERO)
    near = ceiling is not None and ceiling <= most * FURTHEST_CEILING
    reach = max(most, ceiling) if ceiling is not None and near else most
    axis = scale(reach, left=LEFT, width=WIDTH - LEFT - RIGHT)
    height = TOP + ROW * len(options) + BOTTOM
    return drawing(
        "ranges",
        *draw_horizontal_axis(axis, top=TOP - 6, bottom=height - BOTTOM, unit="USD a month"),
        *(part for at, option in enumerate(options) for part in _bar(option, axis, y=TOP + ROW * at)),
        *(ceiling_line(axis, ceiling, top=TOP - 10, bottom=height - BOTTOM) if ceiling is not None and near else ()),
        *(part for at, option in enumerate(options) for part in _words(at, option, axis, y=TOP + ROW * at)),
        title="Monthly bill of each option in USD: least, expected and most",
        description="; ".join(_describe_range(at, option) for at, option in enumerate(options)),
        height=height,
    )


def _describe_range(at: int, option: Option) -> str:
    amount = option.bill.usd_per_month
    least = "at least " if option.bill.unpriced else ""
    return f"{option_title(at, option)}: {least}{usd(amount.min)} to {usd(amount.max)}, expected {usd(amount.expected)}"


def _bar(option: Option, axis: Scale, *, y: int) -> Iterator[Markup]:
    amount = option.bill.usd_per_month
    left, mark, right = axis.at(amount.min), axis.at(amount.expected), axis.at(amount.max)
    yield element("rect", x=left, y=y + BELOW_NAME, width=max(right - left, 1.0), height=BAR, rx=3, class_="band")
    yield element("rect", x=mark - 3, y=y + BELOW_NAME - 4, width=6, height=BAR + 8, rx=2, class_="mark")


def _words(at: int, option: Option, axis: Scale, *, y: int) -> Iterator[Markup]:
    amount = option.bill.usd_per_month
    left, right = axis.at(amount.min), axis.at(amount.max)
    least, expected, most = (
        floor(usd(each), unpriced=len(option.bill.unpriced)) for each in (amount.min, amount.expected, amount.max)
    )
    yield heading(option_title(at, option), amount=f"{expected} expected", x=LEFT, y=y + 17)
    yield text(f"{expected} expected", x=WIDTH - RIGHT - 8, y=y + 17, class_="amount end")
    yield from _ends(least, most, left=left, right=right, y=y + BELOW_BAR)


def _ends(least: str, most: str, *, left: float, right: float, y: float) -> Iterator[Markup]:
    """Both ends of a bar in words; one range of words where they would touch."""
    if right - left < REACH_LETTER * len(f"{least} {most}"):
        said = least if least == most else f"{least} to {most}"
        side, x = ("reach end", right) if left + REACH_LETTER * len(said) > WIDTH else ("reach", left)
        yield text(said, x=x, y=y, class_=side)
        return
    yield text(least, x=left, y=y, class_="reach")
    yield text(most, x=right, y=y, class_="reach end")
