"""What one run costs against how long it takes: a point for each option, and the deadline as a line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from driver.html.markup import element, words
from driver.html.quote_frame import WIDTH, apart, below, beside, drawing, marker, text, upwards
from driver.html.scale import scale
from driver.render.amounts import duration, number, usd
from driver.render.quote_names import letter, named

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from decimal import Decimal

    from driver.html.markup import Markup
    from driver.html.scale import Scale
    from planning.quote import Option, Run

LEFT: Final = 76
RIGHT: Final = 40
TOP: Final = 64
TALL: Final = 260
BOTTOM: Final = 56
HOURS_PER_DAY: Final = 24
FURTHEST_DEADLINE: Final = 5  # times the longest run; further off, the points would stand on one line
NEAR: Final = 16.0


class Point(NamedTuple):
    """A run of one option."""

    at: int
    option: Option
    run: Run


def points(options: Sequence[Option], workload: str) -> tuple[Point, ...]:
    """The runs of one workload, option by option."""
    return tuple(
        Point(at, option, run) for at, option in enumerate(options) for run in option.runs if run.workload == workload
    )


def run_chart(options: Sequence[Option], *, workload: str, deadline_days: Decimal | None) -> Markup:
    """Hours to the right, USD upwards."""
    found = points(options, workload)
    longest = max(each.run.hours for each in found)
    deadline = None if deadline_days is None else deadline_days * HOURS_PER_DAY
    near = deadline is not None and deadline <= longest * FURTHEST_DEADLINE
    reach = max(longest, deadline) if deadline is not None and near else longest
    hours = scale(reach, left=LEFT, width=WIDTH - LEFT - RIGHT)
    amounts = scale(max(each.run.usd for each in found), left=TOP, width=TALL)
    return drawing(
        f"run-{workload}",
        *below(hours, top=TOP, bottom=TOP + TALL, unit="hours of one run"),
        *beside(amounts, height=TALL, left=LEFT, right=WIDTH - RIGHT, unit="USD of one run"),
        *(_deadline(hours.at(deadline), deadline_days) if deadline and deadline_days and near else ()),
        *_points(found, hours, amounts),
        title=f"Cost of one run of {workload} against the time it takes",
        description="; ".join(_spoken(each) for each in found),
        height=TOP + TALL + BOTTOM,
    )


def _spoken(point: Point) -> str:
    return f"{named(point.at, point.option)}: {duration(point.run.hours)}, {usd(point.run.usd)} USD"


def _points(found: Sequence[Point], hours: Scale, amounts: Scale) -> Iterator[Markup]:
    places = [(hours.at(each.run.hours), upwards(amounts, each.run.usd, height=TALL)) for each in found]
    for group in apart(places, near=NEAR):
        x, y = places[group[0]]
        letters = ", ".join(letter(found[at].at) for at in group)
        yield marker(letters, x=x, y=y, hover="; ".join(_spoken(found[at]) for at in group))
        run, away = found[group[0]].run, 16 + 4 * len(letters)
        side, place = ("amount end", x - away) if x > WIDTH / 2 else ("amount", x + away)
        more = element("tspan", words(f", {duration(run.hours)}"), class_="where")
        yield element("text", words(f"{usd(run.usd)} USD"), more, x=place, y=y + 5, class_=side)


def _deadline(x: float, days: Decimal) -> Iterator[Markup]:
    yield element("line", x1=x, x2=x, y1=TOP - 4, y2=TOP + TALL, class_="ceiling")
    side = "ceiling-name left" if x > WIDTH / 2 else "ceiling-name"
    yield text(f"deadline {number(days)} days", x=x, y=TOP - 10, class_=side)
