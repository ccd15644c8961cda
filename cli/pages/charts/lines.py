"""Lines and points over two axes: USD by month, USD of a run by its hours, bandwidth by nodes."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final, NamedTuple

from cli.pages.charts import axes
from cli.terminal.amounts import days as days_of
from cli.terminal.amounts import duration, usd, usd_short
from cli.views.quote.options import letter, option_title

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markupsafe import Markup

    from planning.quoting.price_performance import OwnershipCosts
    from planning.quoting.quote import Buying, Option, RunEstimate


LEFT: Final = 76
OWNERSHIP_RIGHT: Final = 20
TOP: Final = 64
TALL: Final = 260
BOTTOM: Final = 56
HALF_A_NAME: Final = 200.0  # pixels on a phone
HALF_YEAR: Final = Decimal(6)  # months between two lines of the grid
RIGHT: Final = 40
HOURS_PER_DAY: Final = 24
FURTHEST_DEADLINE: Final = 5  # times the longest run; further off, the points would stand on one line
NEAR: Final = 16.0
PHONE_LETTER: Final = 15.5  # pixels of a bold letter where a phone shows the chart, in the units of the chart
LARGE: Final = 100_000  # USD of a run from which cents are not worth their room
FABRIC_WIDTH: Final = 960
FABRIC_LEFT: Final = 64
FABRIC_RIGHT: Final = 190
FABRIC_TOP: Final = 26
FABRIC_BOTTOM: Final = 56
PLOT: Final = 300
APART: Final = 15  # pixels between names at the right edge
# Okabe and Ito's colours, as the other charts have them; vermilion is kept for what failed.
COLOURS: Final = ("#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#b8a800", "#8a5ad6", "#8a94a3")
FAILED_COLOUR: Final = "#d55e00"
Box = tuple[float, float, float, float]  # left, top, right, bottom


def owning_chart(buying: Buying, spent: OwnershipCosts, *, every: Sequence[int]) -> Markup:
    """Two lines over the months that the servers are kept.

    Args:
        every: places of the options for which this holds.
    """
    months = axes.Scale(Decimal(len(spent.owned) - 1), LEFT, axes.WIDTH - LEFT - OWNERSHIP_RIGHT)
    amounts = axes.scale(max(*spent.owned, *spent.rented), left=TOP, width=TALL)
    letters = ", ".join(letter(at) for at in every)
    return axes.drawing(
        f"buying-{letter(every[0])}",
        *_months(months),
        *axes.draw_vertical_axis(
            amounts, height=TALL, left=LEFT, right=axes.WIDTH - OWNERSHIP_RIGHT, unit="USD in total"
        ),
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


def _months(axis: axes.Scale) -> Iterator[Markup]:
    for number in range(int(axis.most / HALF_YEAR) + 1):
        x = axis.at(number * HALF_YEAR)
        yield axes.element("line", x1=x, x2=x, y1=TOP, y2=TOP + TALL, class_="grid")
        yield axes.text(str(number * HALF_YEAR), x=x, y=TOP + TALL + 20, class_="tick")
    yield axes.text("month", x=axis.left + axis.width / 2, y=TOP + TALL + 44, class_="tick unit")


def _line(usd_by_month: Sequence[Decimal], months: axes.Scale, amounts: axes.Scale, *, class_: str) -> Iterator[Markup]:
    places = (
        f"{months.at(Decimal(month)):.1f} {axes.vertical_pixel(amounts, amount, height=TALL):.1f}"
        for month, amount in enumerate(usd_by_month)
    )
    yield axes.element("path", d="M" + " L".join(places), class_=class_)


def _find_break_even(
    buying: Buying, spent: OwnershipCosts, months: axes.Scale, amounts: axes.Scale
) -> Iterator[Markup]:
    month = buying.break_even_month
    if month is None:
        yield axes.text("buying is not cheaper within 3 years", x=axes.WIDTH / 2, y=TOP - 14, class_="even-name")
        return
    x, y = months.at(Decimal(month)), axes.vertical_pixel(amounts, spent.owned[month], height=TALL)
    yield axes.element("line", x1=x, x2=x, y1=TOP - 6, y2=TOP + TALL, class_="even")
    yield axes.element("circle", cx=x, cy=y, r=6, class_="dot-even")
    middle = min(max(x, LEFT + HALF_A_NAME), axes.WIDTH - HALF_A_NAME)
    yield axes.text(f"buying is cheaper from month {month}", x=middle, y=TOP - 14, class_="even-name")


class Disc(NamedTuple):
    x: float
    y: float
    letters: str

    @property
    def box(self) -> Box:
        wide = axes.MARKER + axes.LETTER_WIDTH * (len(self.letters) - 1) / 2
        return self.x - wide, self.y - axes.MARKER, self.x + wide, self.y + axes.MARKER


class Label(NamedTuple):
    x: float
    y: float
    ends: bool

    def box(self, wide: float) -> Box:
        left = self.x - wide if self.ends else self.x
        return left, self.y - PHONE_LETTER, left + wide, self.y + 3


class RunPoint(NamedTuple):
    at: int
    option: Option
    run: RunEstimate


def points(options: Sequence[Option], workload: str) -> tuple[RunPoint, ...]:
    return tuple(
        RunPoint(at, option, run)
        for at, option in enumerate(options)
        for run in option.runs
        if run.workload == workload
    )


def run_chart(options: Sequence[Option], *, workload: str, deadline_days: Decimal | None) -> Markup:
    found = points(options, workload)
    longest = max(each.run.hours for each in found)
    deadline = None if deadline_days is None else deadline_days * HOURS_PER_DAY
    near = deadline is not None and deadline <= longest * FURTHEST_DEADLINE
    reach = max(longest, deadline) if deadline is not None and near else longest
    hours = axes.scale(reach, left=LEFT, width=axes.WIDTH - LEFT - RIGHT)
    amounts = axes.scale(max(each.run.usd for each in found), left=TOP, width=TALL)
    return axes.drawing(
        f"run-{workload}",
        *axes.draw_horizontal_axis(hours, top=TOP, bottom=TOP + TALL, unit="hours of one run"),
        *axes.draw_vertical_axis(amounts, height=TALL, left=LEFT, right=axes.WIDTH - RIGHT, unit="USD of one run"),
        *(_deadline(hours.at(deadline), deadline_days) if deadline and deadline_days and near else ()),
        *_points(found, hours, amounts),
        title=f"Cost of one run of {workload} against the time it takes",
        description="; ".join(_describe_run(each) for each in found),
        height=TOP + TALL + BOTTOM,
    )


def _describe_run(point: RunPoint) -> str:
    return f"{option_title(point.at, point.option)}: {duration(point.run.hours)}, {usd(point.run.usd)} USD"


def _points(found: Sequence[RunPoint], hours: axes.Scale, amounts: axes.Scale) -> Iterator[Markup]:
    places = [(hours.at(each.run.hours), axes.vertical_pixel(amounts, each.run.usd, height=TALL)) for each in found]
    groups = axes.group_overlaps(places, near=NEAR)
    discs = [Disc(*places[group[0]], ", ".join(letter(found[at].at) for at in group)) for group in groups]
    said = [_amounts([found[at].run.usd for at in group]) for group in groups]
    for group, disc, words_of, label in zip(groups, discs, said, place_labels(discs, said), strict=True):
        yield axes.marker(disc.letters, x=disc.x, y=disc.y, hover="; ".join(_describe_run(found[at]) for at in group))
        more = axes.element("tspan", axes.escape_text(f", {duration(found[group[0]].run.hours)}"), class_="where")
        side = "amount end" if label.ends else "amount"
        yield axes.element("text", axes.escape_text(words_of), more, x=label.x, y=label.y, class_=side)


def _amounts(group: Sequence[Decimal]) -> str:
    """USD of the runs at one place: from the least to the most of them."""
    shown = [usd_short(each) if each >= LARGE else usd(each) for each in (min(group), max(group))]
    return f"{' to '.join(dict.fromkeys(shown))} USD"


def place_labels(discs: Sequence[Disc], said: Sequence[str]) -> list[Label]:
    """Where the words of each disc stand: beside it, else above or below it, where nothing else is in the way."""
    taken = [disc.box for disc in discs]
    placed: list[Label] = []
    for disc, text_of in zip(discs, said, strict=True):
        # As wide as on a phone, where letters are largest against the chart.
        wide, away = PHONE_LETTER * len(text_of), 16 + 4 * len(disc.letters)
        right, left = Label(disc.x + away, disc.y + 5, ends=False), Label(disc.x - away, disc.y + 5, ends=True)
        sides = (left, right) if disc.x > axes.WIDTH / 2 else (right, left)
        over = [(disc.y + up, ends) for up in (-18, 32, -42, 56) for ends in (False, True)]
        tried = [*sides, *(Label(disc.x + (away if ends else -away), y, ends=ends) for y, ends in over)]
        fits = (each for each in tried if _is_free(each.box(wide), taken))
        label = next(fits, sides[0])
        taken.append(label.box(wide))
        placed.append(label)
    return placed


def _is_free(box: Box, taken: Sequence[Box]) -> bool:
    left, top, right, bottom = box
    inside = left >= LEFT - axes.MARKER and right <= axes.WIDTH and top >= TOP - axes.MARKER
    return inside and not any(
        left < other[2] and other[0] < right and top < other[3] and other[1] < bottom for other in taken
    )


def _deadline(x: float, days: Decimal) -> Iterator[Markup]:
    yield axes.element("line", x1=x, x2=x, y1=TOP - 4, y2=TOP + TALL, class_="ceiling")
    side = "ceiling-name left" if x > axes.WIDTH / 2 else "ceiling-name"
    yield axes.text(f"deadline {days_of(days)}", x=x, y=TOP - 20, class_=side)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    nodes: int
    value: Decimal
    failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PayloadCurve:
    label: str
    dots: tuple[Dot, ...]


def all_reduce_chart(
    curves: Sequence[PayloadCurve], *, counts: Sequence[int], theory: Decimal | None, least: Decimal | None, unit: str
) -> Markup:
    """A line for each payload over growing node counts, the theory, and the least that must be reached.

    Args:
        counts: node counts along the bottom, growing; each as far from the next as any other.
    """
    values = [dot.value for curve in curves for dot in curve.dots]
    most = max([*values, *(each for each in (theory, least) if each is not None)], default=Decimal(1))
    up = axes.scale(most, left=FABRIC_TOP + PLOT, width=-PLOT)
    return axes.picture(
        f"All-reduce over growing node counts in {unit}, against the theory",
        *_levels(up, unit),
        *_counts(counts),
        *_threshold(up, theory, kind="theory", label="theory"),
        *_threshold(up, least, kind="least", label="least"),
        *(part for at, curve in enumerate(curves) for part in _curve(curve, up, counts, COLOURS[at % len(COLOURS)])),
        *_curve_names(curves, up, theory=theory, least=least),
        width=FABRIC_WIDTH,
        height=FABRIC_TOP + PLOT + FABRIC_BOTTOM,
    )


def _levels(up: axes.Scale, unit: str) -> Iterator[Markup]:
    right = FABRIC_WIDTH - FABRIC_RIGHT
    for tick in up.ticks:
        y = up.at(tick)
        yield axes.element("line", x1=FABRIC_LEFT, x2=right, y1=y, y2=y, class_="grid")
        yield axes.text(f"{tick.normalize():,f}", x=FABRIC_LEFT - 8, y=y + 4, class_="where right")
    yield axes.text(unit, x=FABRIC_LEFT - 8, y=FABRIC_TOP - 12, class_="where right")


def _counts(counts: Sequence[int]) -> Iterator[Markup]:
    for each in counts:
        yield axes.text(str(each), x=_count_pixel(each, counts), y=FABRIC_TOP + PLOT + 20, class_="tick")
    middle = (FABRIC_LEFT + FABRIC_WIDTH - FABRIC_RIGHT) / 2
    yield axes.text("nodes", x=middle, y=FABRIC_TOP + PLOT + 40, class_="tick")


def _count_pixel(nodes: int, counts: Sequence[int]) -> float:
    share = (FABRIC_WIDTH - FABRIC_RIGHT - FABRIC_LEFT) / (len(counts) + 1)
    return FABRIC_LEFT + share * (list(counts).index(nodes) + 1)


def _threshold(up: axes.Scale, value: Decimal | None, *, kind: str, label: str) -> Iterator[Markup]:
    if value is None:
        return
    y = up.at(value)
    line = axes.element("line", x1=FABRIC_LEFT, x2=FABRIC_WIDTH - FABRIC_RIGHT, y1=y, y2=y, class_=kind)
    yield axes.with_hover(f"{label}: {axes.format_amount(value)}", line)


def _curve(curve: PayloadCurve, up: axes.Scale, counts: Sequence[int], colour: str) -> Iterator[Markup]:
    places = [(_count_pixel(dot.nodes, counts), up.at(dot.value), dot) for dot in curve.dots]
    path = " L".join(f"{x:.1f} {y:.1f}" for x, y, _ in places)
    if len(places) > 1:
        yield axes.element("path", d=f"M{path}", class_="curve", stroke=colour)
    for x, y, dot in places:
        mark = axes.element(
            "circle", cx=x, cy=y, r=6 if dot.failed else 4, fill=FAILED_COLOUR if dot.failed else colour
        )
        yield axes.with_hover(f"{curve.label} over {dot.nodes} nodes: {axes.format_amount(dot.value)}", mark)


def _curve_names(
    curves: Sequence[PayloadCurve], up: axes.Scale, *, theory: Decimal | None, least: Decimal | None
) -> Iterator[Markup]:
    """Names of the lines at the right edge, pushed apart where they would lie on each other."""
    found = [
        (up.at(curve.dots[-1].value), curve.label, "", COLOURS[at % len(COLOURS)])
        for at, curve in enumerate(curves)
        if curve.dots
    ]
    found += [(up.at(theory), f"theory {axes.format_amount(theory)}", "", "")] if theory is not None else []
    found += [(up.at(least), f"least {axes.format_amount(least)}", "at-least", "")] if least is not None else []
    last = 0.0
    for y, label, kind, colour in sorted(found):
        place = max(y + 4, last + APART)
        last = place
        mark = axes.element("rect", x=FABRIC_WIDTH - FABRIC_RIGHT + 8, y=place - 9, width=10, height=10, fill=colour)
        if colour:
            yield mark
        yield axes.text(label, x=FABRIC_WIDTH - FABRIC_RIGHT + (24 if colour else 8), y=place, class_=kind or "name")
