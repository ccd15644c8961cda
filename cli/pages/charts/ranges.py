"""Ranges on one axis: from the least to the most, with a mark at what is expected."""

from __future__ import annotations

from decimal import ROUND_FLOOR, Decimal
from typing import TYPE_CHECKING, Final, NamedTuple

from cli.pages.charts import axes
from cli.terminal.amounts import mark, percent, usd
from cli.views.quote.options import letter, option_title
from cli.views.relocation import sections, sum_lines
from planning.values.money import ZERO

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markupsafe import Markup

    from planning.costs.json_shapes import LineForm
    from planning.quoting.quote import Option, PoolWorth
    from planning.relocation.plan_form import RelocationPlanForm
    from planning.service_levels.form import PartForm, SlaForm
    from planning.values.money import Range


RANGES: Final = axes.Frame(axes.WIDTH, left=4, right=14, top=34, row=86, bottom=56)
RATES: Final = axes.Frame(axes.WIDTH, left=16, right=150, top=12, row=58, bottom=56)
MOVING: Final = axes.Frame(960, left=8, right=150, top=12, row=40, bottom=44)
LEVELS: Final = axes.Frame(960, left=8, right=68, top=34, row=50, bottom=26)
LEVELS_END: Final = LEVELS.width - LEVELS.right
BELOW_NAME: Final = 26  # pixels from a row's top to its bar; name and amount stand above, where there is room for them
BAR: Final = 18
MOVING_BAR: Final = 14
BELOW_BAR: Final = 64
DOT: Final = 38  # pixels from a row's top to its dot; the name stands above
FURTHEST_CEILING: Final = Decimal(3)  # times the longest bar
REACH_LETTER: Final = 13.8  # pixels of a letter below a bar where a phone shows the chart, in the units of the chart
SMALL: Final = Decimal("0.004")  # of the longest expected reading; smaller lines stand together
FURTHEST: Final = Decimal(3)  # times the longest expected reading; what ends beyond, ends in an arrow
# Okabe and Ito's colours, as the other charts have them.
COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
HUNDRED: Final = Decimal(100)
MARGIN: Final = Decimal("1.15")
LOWEST_REACH: Final = Decimal("0.2")


def range_chart(options: Sequence[Option], *, ceiling: Decimal | None) -> Markup:
    most = max((option.bill.usd_per_month.max for option in options), default=ZERO)
    axis, near = axes.ceiling_axis(RANGES, most, ceiling, furthest=FURTHEST_CEILING)
    height = RANGES.height(len(options))
    return axes.drawing(
        "ranges",
        *axes.draw_horizontal_axis(axis, top=RANGES.top - 6, bottom=height - RANGES.bottom, unit="USD a month"),
        *(part for at, option in enumerate(options) for part in _band(option, axis, y=RANGES.row_top(at))),
        *axes.ceiling_line(axis, near, top=RANGES.top - 10, bottom=height - RANGES.bottom),
        *(part for at, option in enumerate(options) for part in _words(at, option, axis, y=RANGES.row_top(at))),
        title="Monthly bill of each option in USD: least, expected and most",
        description="; ".join(_describe_range(at, option) for at, option in enumerate(options)),
        height=height,
    )


def _describe_range(at: int, option: Option) -> str:
    amount = option.bill.usd_per_month
    least = "at least " if option.bill.unpriced else ""
    about = "about " if option.bill.estimated else ""
    ends = f"{least}{about}{usd(amount.min)} to {usd(amount.max)}"
    return f"{option_title(at, option)}: {ends}, expected {usd(amount.expected)}"


def _band(option: Option, axis: axes.Scale, *, y: int) -> Iterator[Markup]:
    amount = option.bill.usd_per_month
    left, middle, right = axis.at(amount.min), axis.at(amount.expected), axis.at(amount.max)
    yield axes.element("rect", x=left, y=y + BELOW_NAME, width=max(right - left, 1.0), height=BAR, rx=3, class_="band")
    yield axes.element("rect", x=middle - 3, y=y + BELOW_NAME - 4, width=6, height=BAR + 8, rx=2, class_="mark")


def _words(at: int, option: Option, axis: axes.Scale, *, y: int) -> Iterator[Markup]:
    amount = option.bill.usd_per_month
    left, right = axis.at(amount.min), axis.at(amount.max)
    least, expected, most = (mark(usd(each), option.bill) for each in (amount.min, amount.expected, amount.max))
    yield axes.heading(option_title(at, option), amount=f"{expected} expected", x=RANGES.left, y=y + 17)
    yield axes.text(f"{expected} expected", x=axes.WIDTH - RANGES.right - 8, y=y + 17, class_="amount end")
    yield from _ends(least, most, left=left, right=right, y=y + BELOW_BAR)


def _ends(least: str, most: str, *, left: float, right: float, y: float) -> Iterator[Markup]:
    """Both ends of a bar in words; one range of words where they would touch."""
    if right - left < REACH_LETTER * len(f"{least} {most}"):
        said = least if least == most else f"{least} to {most}"
        side, x = ("reach end", right) if left + REACH_LETTER * len(said) > axes.WIDTH else ("reach", left)
        yield axes.text(said, x=x, y=y, class_=side)
        return
    yield axes.text(least, x=left, y=y, class_="reach")
    yield axes.text(most, x=right, y=y, class_="reach end")


class RateRow(NamedTuple):
    at: int
    pool: str
    hardware: str
    worth: PoolWorth
    rate: Decimal
    other: Decimal | None


def rate_rows(options: Sequence[Option]) -> tuple[RateRow, ...]:
    return tuple(row for at, option in enumerate(options) for row in _rate_rows(at, option))


def _rate_rows(at: int, option: Option) -> Iterator[RateRow]:
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
    axis = RATES.scale(most)
    height = RATES.height(len(rows))
    return axes.drawing(
        "rates",
        *axes.draw_horizontal_axis(
            axis,
            top=RATES.top - 4,
            bottom=height - RATES.bottom,
            unit="USD a GPU-hour; bar: hyperscaler on demand",
        ),
        *(part for number, row in enumerate(rows) for part in _dots_row(row, axis, y=RATES.row_top(number))),
        title="USD a GPU-hour of each pool, and at the cheapest of AWS, Google Cloud and Azure on demand",
        description="; ".join(_describe_dot(row) for row in rows),
        height=height,
    )


def _describe_dot(row: RateRow) -> str:
    other = f", {usd(row.other)} USD at the cheapest hyperscaler" if row.other is not None else ""
    return f"{letter(row.at)} {row.pool}: {usd(row.rate)} USD{other}"


def _dots_row(row: RateRow, axis: axes.Scale, *, y: int) -> Iterator[Markup]:
    x = axis.at(row.rate)
    more = axes.element("tspan", axes.escape_text(f"  {row.hardware}"), class_="where")
    yield axes.element("text", axes.escape_text(row.pool), more, x=RATES.left, y=y + 20, class_="name")
    end, middle = x, y + DOT
    if row.other is not None:
        end = axis.at(row.other)
        yield axes.element("line", x1=x, x2=end, y1=middle, y2=middle, class_="gap")
        yield axes.element("line", x1=end, x2=end, y1=middle - 12, y2=middle + 12, class_="whisker")
    yield axes.marker(letter(row.at), x=x, y=middle, hover=_describe_dot(row))
    versus = f", {percent(row.worth.versus_big_three_percent)}" if row.other is not None else ""
    yield axes.text(f"{usd(row.rate)}{versus}", x=max(x, end) + 18, y=middle + 5, class_="amount")


def moving_chart(form: RelocationPlanForm) -> Markup:
    rows = list(_moving_rows(form["bill"]["bill"]["lines"]))
    reach = _reach([found for _, _, found, _ in rows])
    axis = MOVING.scale(reach)
    height = MOVING.height(len(rows))
    return axes.picture(
        "What the relocation costs once, by line, in USD: from min to max, a tick at expected",
        *axes.grid(axis, top=MOVING.top - 4, bottom=height - MOVING.bottom, unit="USD, once", shown="{:,.0f}".format),
        *(part for at, row in enumerate(rows) for part in _moving_bar(*row, axis=axis, y=MOVING.row_top(at))),
        width=MOVING.width,
        height=height,
    )


def _moving_rows(lines: Sequence[LineForm]) -> Iterator[tuple[str, str, Range, str]]:
    """Label, section, amount and colour; lines with one label together, and small ones of a section."""
    found = [(title, _sum_by_label(mine)) for title, mine in sections(lines)]
    longest = max((each.max for _, amounts in found for _, each in amounts), default=ZERO)
    for at, (title, amounts) in enumerate(found):
        large = [(label, each) for label, each in amounts if each.max >= longest * SMALL]
        small = [each for _, each in amounts if each.max < longest * SMALL]
        colour = COLOURS[at % len(COLOURS)]
        for label, each in large:
            yield label, title, each, colour
        if small:
            together = sum(small[1:], start=small[0])
            yield f"{len(small)} smaller lines", title, together, colour


def _sum_by_label(lines: Sequence[LineForm]) -> list[tuple[str, Range]]:
    found: dict[str, list[LineForm]] = {}
    for line in lines:
        if line["state"] == "priced":
            found.setdefault(line["label"], []).append(line)
    amounts = [(label, sum_lines(each)[0]) for label, each in found.items()]
    return sorted(((label, each) for label, each in amounts if each.max > ZERO), key=lambda row: -row[1].expected)


def _reach(amounts: Sequence[Range]) -> Decimal:
    """As far as the picture goes."""
    most = max((each.max for each in amounts), default=ZERO)
    expected = max((each.expected for each in amounts), default=ZERO)
    # One line that may cost everything must not hide the others.
    return min(most, expected * FURTHEST) or most


def _moving_bar(label: str, section: str, amount: Range, colour: str, *, axis: axes.Scale, y: int) -> Iterator[Markup]:
    where = axes.element("tspan", axes.escape_text(f"  {section}"), class_="where")
    yield axes.element("text", axes.escape_text(label), where, x=MOVING.left, y=y + 13)
    middle = y + 18 + MOVING_BAR // 2
    left, right = axis.at(amount.min), axis.at(min(amount.max, axis.most))
    tick = axis.at(min(amount.expected, axis.most))
    hover = f"{usd(amount.min)} / {usd(amount.expected)} / {usd(amount.max)} USD"
    solid = axes.element(
        "rect", x=MOVING.left, y=y + 18, width=max(tick - MOVING.left, 2.0), height=MOVING_BAR, fill=colour
    )
    more = axes.element(
        "rect", x=tick, y=y + 18, width=max(right - tick, 0.0), height=MOVING_BAR, fill=colour, opacity=0.35
    )
    yield axes.with_hover(hover, solid, more)
    if right - left > 1:
        yield axes.element("line", x1=left, x2=right, y1=middle, y2=middle, class_="whisker")
    if amount.max > axis.most:
        yield axes.element(
            "path", d=f"M{right} {y + 18} l8 {MOVING_BAR // 2} l-8 {MOVING_BAR // 2} z", fill=colour, opacity=0.35
        )
    beyond = f" (to {usd(amount.max)})" if amount.max != amount.expected else ""
    place = right + 14 if amount.max > axis.most else max(right, tick) + 8
    anchor = "end" if place > MOVING.width - MOVING.right - 60 and beyond else "start"
    x = MOVING.width - 4 if anchor == "end" else place
    yield axes.element(
        "text", axes.escape_text(f"{usd(amount.expected)}{beyond}"), x=x, y=middle, class_="amount", text_anchor=anchor
    )


def availability_chart(form: SlaForm) -> Markup:
    shown = [part for part in form["parts"] if part["attained_percent"] is not None]
    low = _find_lowest(form, shown)
    height = LEVELS.height(len(shown))
    return axes.picture(
        "Availability of each part, in percent, against the levels of the table",
        *(mark for at, row in enumerate(form["table"]) for mark in _level(row["below_percent"], at, low, height)),
        *(mark for at, part in enumerate(shown) for mark in _draw_availability(part, y=LEVELS.row_top(at), low=low)),
        *_level_axis(low, y=height - LEVELS.bottom),
        width=LEVELS.width,
        height=height,
    )


def _find_lowest(form: SlaForm, shown: Sequence[PartForm]) -> Decimal:
    """Where the axis begins: below the lowest level, and below what was surely attained, not below the unknown."""
    levels = [Decimal(row["below_percent"]) for row in form["table"]]
    sure = [Decimal(part["attained_percent"]["if_up"]) for part in shown if part["attained_percent"]]
    # Not below what may have been attained at least: an unknown month would squeeze the levels together.
    reach = max(HUNDRED - min([*levels, *sure], default=HUNDRED), LOWEST_REACH) * MARGIN
    return max(HUNDRED - reach, Decimal(0))


def _level_pixel(percent: Decimal, low: Decimal) -> float:
    share = (max(percent, low) - low) / (HUNDRED - low)
    return LEVELS.left + (LEVELS_END - LEVELS.left) * float(share)


def _level(below: str, at: int, low: Decimal, height: int) -> Iterator[Markup]:
    x = _level_pixel(Decimal(below), low)
    y = 14 if at % 2 == 0 else 28
    yield axes.element("line", x1=x, x2=x, y1=y + 4, y2=height - LEVELS.bottom, class_="level")
    yield axes.text(f"{below}%", x=x, y=y, class_="level-name")


def _draw_availability(part: PartForm, *, y: int, low: Decimal) -> Iterator[Markup]:
    found = part["attained_percent"]
    assert found is not None  # noqa: S101 - others are left out by the caller
    down, up = Decimal(found["if_down"]), Decimal(found["if_up"])
    name = f"{part['title']}: {axes.format_percents(found['if_up'], found['if_down'])}"
    yield axes.text(name, x=LEVELS.left, y=y + 20, class_="part")
    middle = y + 32
    yield axes.element("line", x1=LEVELS.left, x2=LEVELS_END, y1=middle, y2=middle, class_="grid")
    if down != up:
        yield axes.element(
            "line", x1=_level_pixel(down, low), x2=_level_pixel(up, low), y1=middle, y2=middle, class_="span-line"
        )
        yield axes.element("circle", cx=_level_pixel(down, low), cy=middle, r=4, class_="fill-not-known")
    yield axes.element("circle", cx=_level_pixel(up, low), cy=middle, r=5, class_="dot")


def _level_axis(low: Decimal, *, y: int) -> Iterator[Markup]:
    for share in (Decimal(0), Decimal("0.25"), Decimal("0.5"), Decimal("0.75"), Decimal(1)):
        percent = low + (HUNDRED - low) * share
        said = f"{percent.quantize(Decimal('0.01'), ROUND_FLOOR).normalize():f}%"
        anchor = "tick" if share else "said"
        yield axes.text(said, x=_level_pixel(percent, low), y=y + 16, class_=anchor)
