"""A row for each option against an axis of USD: its range, the chapters of its month, the rates of its pools."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final, NamedTuple

from cli.pages.charts.axes import (
    BOLD_LETTER,
    WIDTH,
    Scale,
    draw_horizontal_axis,
    drawing,
    element,
    escape_text,
    heading,
    marker,
    scale,
    text,
    with_hover,
)
from cli.terminal.amounts import floor, percent, usd
from cli.terminal.amounts import total as said_total
from cli.views.quote.options import letter, option_title, places
from planning.costs.bill import BillGroup, total
from planning.values.money import ZERO

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markupsafe import Markup

    from planning.quoting.quote import Option, PoolWorth


LEFT: Final = 4
RIGHT: Final = 14
BILL_ROW: Final = 66
BILL_BAR: Final = 26
BELOW_NAME: Final = 26  # pixels from a row's top to its bar; name and amount stand above, where there is room for them
TOP: Final = 34
BOTTOM: Final = 56
BILL_CEILING: Final = Decimal("1.6")  # times the longest bar; further off, the line would squeeze the bars
ROW: Final = 86
BAR: Final = 18
BELOW_BAR: Final = 64
FURTHEST_CEILING: Final = Decimal(3)  # times the longest bar
REACH_LETTER: Final = 13.8  # pixels of a letter below a bar where a phone shows the chart, in the units of the chart
RATE_LEFT: Final = 16
RATE_RIGHT: Final = 150
RATE_ROW: Final = 58
DOT: Final = 38  # pixels from a row's top to its dot; the name stands above
RATE_TOP: Final = 12


def _ceiling_axis(most: Decimal, ceiling: Decimal | None, *, furthest: Decimal) -> tuple[Scale, Decimal | None]:
    """The axis, and the ceiling where it is near enough to be drawn."""
    near = ceiling if ceiling is not None and ceiling <= most * furthest else None
    return scale(most if near is None else max(most, near), left=LEFT, width=WIDTH - LEFT - RIGHT), near


def bill_chart(options: Sequence[Option], *, ceiling: Decimal | None) -> Markup:
    longest = max((option.bill.usd_per_month.expected for option in options), default=ZERO)
    axis, near = _ceiling_axis(longest, ceiling, furthest=BILL_CEILING)
    height = TOP + BILL_ROW * len(options) + BOTTOM
    rows = (part for at, option in enumerate(options) for part in _row(at, option, axis, y=TOP + BILL_ROW * at))
    return drawing(
        "bill",
        *draw_horizontal_axis(axis, top=TOP - 6, bottom=height - BOTTOM, unit="USD a month, expected"),
        *_ceiling_line(axis, near, top=TOP - 10, bottom=height - BOTTOM),
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


def _ceiling_line(axis: Scale, ceiling: Decimal | None, *, top: float, bottom: float) -> Iterator[Markup]:
    if ceiling is None:
        return
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


def range_chart(options: Sequence[Option], *, ceiling: Decimal | None) -> Markup:
    most = max((option.bill.usd_per_month.max for option in options), default=ZERO)
    axis, near = _ceiling_axis(most, ceiling, furthest=FURTHEST_CEILING)
    height = TOP + ROW * len(options) + BOTTOM
    return drawing(
        "ranges",
        *draw_horizontal_axis(axis, top=TOP - 6, bottom=height - BOTTOM, unit="USD a month"),
        *(part for at, option in enumerate(options) for part in _bar(option, axis, y=TOP + ROW * at)),
        *_ceiling_line(axis, near, top=TOP - 10, bottom=height - BOTTOM),
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


class RateRow(NamedTuple):
    at: int
    pool: str
    hardware: str
    worth: PoolWorth
    rate: Decimal
    other: Decimal | None


def rate_rows(options: Sequence[Option]) -> tuple[RateRow, ...]:
    return tuple(row for at, option in enumerate(options) for row in _rows(at, option))


def _rows(at: int, option: Option) -> Iterator[RateRow]:
    found = option.worth_by_pool
    for pool in (pool for each in option.placements for pool in each.pools):
        worth = found.get(pool.name)
        if worth is None or worth.usd_per_gpu_hour is None or pool.accelerator is None:
            continue
        hardware = f"{pool.accelerator}, {pool.kind.replace('_', ' ')}"
        yield RateRow(at, pool.name, hardware, worth, worth.usd_per_gpu_hour, worth.big_three_usd_per_gpu_hour)


def rate_chart(options: Sequence[Option]) -> Markup:
    rows = rate_rows(options)
    most = max((max(row.rate, row.other or ZERO) for row in rows), default=ZERO)
    axis = scale(most, left=RATE_LEFT, width=WIDTH - RATE_LEFT - RATE_RIGHT)
    height = RATE_TOP + RATE_ROW * len(rows) + BOTTOM
    return drawing(
        "rates",
        *draw_horizontal_axis(
            axis,
            top=RATE_TOP - 4,
            bottom=height - BOTTOM,
            unit="USD a GPU-hour; bar: hyperscaler on demand",
        ),
        *(part for number, row in enumerate(rows) for part in _dots_row(row, axis, y=RATE_TOP + RATE_ROW * number)),
        title="USD a GPU-hour of each pool, and at the cheapest of AWS, Google Cloud and Azure on demand",
        description="; ".join(_describe_dot(row) for row in rows),
        height=height,
    )


def _describe_dot(row: RateRow) -> str:
    other = f", {usd(row.other)} USD at the cheapest hyperscaler" if row.other is not None else ""
    return f"{letter(row.at)} {row.pool}: {usd(row.rate)} USD{other}"


def _dots_row(row: RateRow, axis: Scale, *, y: int) -> Iterator[Markup]:
    x = axis.at(row.rate)
    more = element("tspan", escape_text(f"  {row.hardware}"), class_="where")
    yield element("text", escape_text(row.pool), more, x=RATE_LEFT, y=y + 20, class_="name")
    end, middle = x, y + DOT
    if row.other is not None:
        end = axis.at(row.other)
        yield element("line", x1=x, x2=end, y1=middle, y2=middle, class_="gap")
        yield element("line", x1=end, x2=end, y1=middle - 12, y2=middle + 12, class_="whisker")
    yield marker(letter(row.at), x=x, y=middle, hover=_describe_dot(row))
    versus = f", {percent(row.worth.versus_big_three_percent)}" if row.other is not None else ""
    yield text(f"{usd(row.rate)}{versus}", x=max(x, end) + 18, y=middle + 5, class_="amount")
