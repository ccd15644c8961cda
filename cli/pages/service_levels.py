"""A month's report on one page, with its charts."""

from __future__ import annotations

from calendar import monthrange
from decimal import ROUND_FLOOR, Decimal
from typing import TYPE_CHECKING, Final

from cli.pages.charts.axes import element, picture, text, with_hover
from cli.pages.documents.rendering import render_html
from planning.service_levels.document import AGAINST, SAID_STANDING, STRIPS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markupsafe import Markup

    from planning.documents.blocks import Document
    from planning.service_levels.form import PartForm, ShortfallPeriodForm, SlaForm


WIDTH: Final = 960
LEFT: Final = 8
RIGHT: Final = 952
TOP: Final = 34
ROW: Final = 50
STRIP: Final = 18
BOTTOM: Final = 26
DAY: Final = 86_400
NARROWEST: Final = 1.5  # pixels: an outage of a minute must be seen
LEGEND: Final = ("up", "short", "excluded", "not known", "before")
EVERY: Final = 5  # days between two names of days
HUNDRED: Final = Decimal(100)
MARGIN: Final = Decimal("1.15")
LOWEST_REACH: Final = Decimal("0.2")


def strips(form: SlaForm) -> Markup:
    year, month = (int(each) for each in form["month"].split("-"))
    days = monthrange(year, month)[1]
    height = TOP + ROW * len(form["parts"]) + BOTTOM
    return picture(
        f"What stood when, {form['month']}",
        *_legend(),
        *(mark for at, part in enumerate(form["parts"]) for mark in _strip(part, y=TOP + ROW * at, days=days)),
        *_days(days, y=height - BOTTOM),
        width=WIDTH,
        height=height,
    )


def _legend() -> Iterator[Markup]:
    x = LEFT
    for standing in LEGEND:
        said = SAID_STANDING[standing]
        yield element("rect", x=x, y=4, width=12, height=12, rx=2, class_=_fill(standing))
        yield text(said, x=x + 18, y=15, class_="said")
        x += 34 + 7 * len(said)


def _strip(part: PartForm, *, y: int, days: int) -> Iterator[Markup]:
    yield text(part["title"], x=LEFT, y=y + 14, class_="part")
    found = part["attained_percent"]
    none = "not counted" if part["verdict"] == "not counted" else "nothing owed"
    said = none if found is None else _percents(found["if_up"], found["if_down"])
    yield text(said, x=RIGHT, y=y + 14, class_="said at-end")
    yield element("rect", x=LEFT, y=y + 20, width=RIGHT - LEFT, height=STRIP, class_="fill-up")
    last = {"not known": 0, "before": 0, "excluded": 1, "short": 2}  # the worst is drawn over the rest
    for span in sorted(part["spans"], key=lambda each: last[each["standing"]]):
        yield _stretch(span, y=y + 20, seconds=days * DAY)


def _stretch(span: ShortfallPeriodForm, *, y: int, seconds: int) -> Markup:
    """As wide as it was long; as high as the share that was missing, half at least."""
    x = LEFT + (RIGHT - LEFT) * span["start_second"] / seconds
    width = max((RIGHT - LEFT) * (span["end_second"] - span["start_second"]) / seconds, NARROWEST)
    owed = Decimal(span["owed"])
    share = 1 - Decimal(span["delivered"]) / owed if span["delivered"] is not None and owed else Decimal(1)
    high = STRIP if span["standing"] != "short" else max(float(share) * STRIP, STRIP / 2)
    had = "" if span["delivered"] is None else f", {span['delivered']} of {span['owed']} there"
    hover = f"{SAID_STANDING[span['standing']]}: {span['start']} to {span['end']} ({span['hours']} h{had})"
    block = element("rect", x=x, y=y, width=width, height=high, class_=_fill(span["standing"]))
    return with_hover(hover, block)


def _fill(standing: str) -> str:
    return f"fill-{standing.replace(' ', '-')}"


def _days(days: int, *, y: int) -> Iterator[Markup]:
    for day in (*range(1, days - 2, EVERY), days):
        x = LEFT + (RIGHT - LEFT) * (day - 1) / days
        yield element("line", x1=x, x2=x, y1=y - 6, y2=y, class_="grid")
        yield text(str(day), x=x + (RIGHT - LEFT) / days / 2, y=y + 14, class_="tick")


def availability_chart(form: SlaForm) -> Markup:
    shown = [part for part in form["parts"] if part["attained_percent"] is not None]
    low = _least(form, shown)
    height = TOP + ROW * len(shown) + BOTTOM
    return picture(
        "Attainment of each part, in percent, against the levels of the table",
        *(mark for at, row in enumerate(form["table"]) for mark in _level(row["below_percent"], at, low, height)),
        *(mark for at, part in enumerate(shown) for mark in _draw_availability(part, y=TOP + ROW * at, low=low)),
        *_axis(low, y=height - BOTTOM),
        width=WIDTH,
        height=height,
    )


def _least(form: SlaForm, shown: Sequence[PartForm]) -> Decimal:
    """Where the axis begins: below the lowest level, and below what was surely attained, not below the unknown."""
    levels = [Decimal(row["below_percent"]) for row in form["table"]]
    sure = [Decimal(part["attained_percent"]["if_up"]) for part in shown if part["attained_percent"]]
    reach = max(HUNDRED - min([*levels, *sure], default=HUNDRED), LOWEST_REACH) * MARGIN
    return max(HUNDRED - reach, Decimal(0))


def _x(percent: Decimal, low: Decimal) -> float:
    share = (max(percent, low) - low) / (HUNDRED - low)
    return LEFT + (RIGHT - LEFT - 60) * float(share)


def _level(below: str, at: int, low: Decimal, height: int) -> Iterator[Markup]:
    x = _x(Decimal(below), low)
    y = 14 if at % 2 == 0 else 28
    yield element("line", x1=x, x2=x, y1=y + 4, y2=height - BOTTOM, class_="level")
    yield text(f"{below}%", x=x, y=y, class_="level-name")


def _draw_availability(part: PartForm, *, y: int, low: Decimal) -> Iterator[Markup]:
    found = part["attained_percent"]
    assert found is not None  # noqa: S101 - others are left out by the caller
    down, up = Decimal(found["if_down"]), Decimal(found["if_up"])
    name = f"{part['title']}: {_percents(found['if_up'], found['if_down'])}"
    yield text(name, x=LEFT, y=y + 20, class_="part")
    middle = y + 32
    yield element("line", x1=LEFT, x2=RIGHT - 60, y1=middle, y2=middle, class_="grid")
    if down != up:
        yield element("line", x1=_x(down, low), x2=_x(up, low), y1=middle, y2=middle, class_="span-line")
        yield element("circle", cx=_x(down, low), cy=middle, r=4, class_="fill-not-known")
    yield element("circle", cx=_x(up, low), cy=middle, r=5, class_="dot")


def _percents(up: str, down: str) -> str:
    return f"{up}%" if up == down else f"{down} to {up}%"


def _axis(low: Decimal, *, y: int) -> Iterator[Markup]:
    for share in (Decimal(0), Decimal("0.25"), Decimal("0.5"), Decimal("0.75"), Decimal(1)):
        percent = low + (HUNDRED - low) * share
        said = f"{percent.quantize(Decimal('0.01'), ROUND_FLOOR).normalize():f}%"
        anchor = "tick" if share else "said"
        yield text(said, x=_x(percent, low), y=y + 16, class_=anchor)


def page(form: SlaForm, document: Document) -> str:
    pictures = {STRIPS: strips(form), AGAINST: availability_chart(form)}
    return render_html(document, pictures=pictures, styles=("document", "service_levels"))
