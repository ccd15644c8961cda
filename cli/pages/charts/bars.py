"""Bars on one axis: amounts that add up, one of each node, and spans of time."""

from __future__ import annotations

from calendar import monthrange
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from cli.pages.charts import axes
from cli.terminal.amounts import total as said_total
from cli.terminal.amounts import usd
from cli.views.quote.options import option_title, places
from cli.views.relocation import format_span_form
from planning.costs.bill import BillGroup, total
from planning.service_levels.document import SAID_STANDING
from planning.values.money import ZERO

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markupsafe import Markup

    from planning.quoting.quote import Option
    from planning.relocation.plan_form import RelocationPlanForm, RelocationStepForm
    from planning.service_levels.form import PartForm, ShortfallPeriodForm, SlaForm


BILL: Final = axes.Frame(axes.WIDTH, left=4, right=14, top=34, row=66, bottom=56)
NODES: Final = axes.Frame(960, left=250, right=190, top=26, row=24, bottom=56)
STRIPS: Final = axes.Frame(960, left=8, right=8, top=34, row=50, bottom=26)
STRIPS_WIDE: Final = STRIPS.width - STRIPS.left - STRIPS.right
BILL_BAR: Final = 26
BELOW_NAME: Final = 26  # pixels from a row's top to its bar; name and amount stand above, where there is room for them
BILL_CEILING: Final = Decimal("1.6")  # times the longest bar; further off, the line would squeeze the bars
BAR: Final = 14
MOST_BARS: Final = 80  # failed nodes first; what is left out is said
# Okabe and Ito's colours, as the other charts have them; vermilion is kept for what failed.
FAILED_COLOUR: Final = "#d55e00"
PASSED: Final = "#0072b2"
UNTOLD: Final = "#8a94a3"
STRIP: Final = 18
DAY: Final = 86_400
NARROWEST: Final = 1.5  # pixels: an outage of a minute must be seen
LEGEND: Final = ("up", "short", "excluded", "not known", "before")
EVERY: Final = 5  # days between two names of days
FROZEN: Final = "#d55e00"
MOVING: Final = "#0072b2"
STEP_WIDTH: Final = 64
STEPS_LEFT: Final = 8
BAND: Final = 46


def bill_chart(options: Sequence[Option], *, ceiling: Decimal | None) -> Markup:
    longest = max((option.bill.usd_per_month.expected for option in options), default=ZERO)
    axis, near = axes.ceiling_axis(BILL, longest, ceiling, furthest=BILL_CEILING)
    height = BILL.height(len(options))
    rows = (part for at, option in enumerate(options) for part in _row(at, option, axis, y=BILL.row_top(at)))
    return axes.drawing(
        "bill",
        *axes.draw_horizontal_axis(axis, top=BILL.top - 6, bottom=height - BILL.bottom, unit="USD a month, expected"),
        *axes.ceiling_line(axis, near, top=BILL.top - 10, bottom=height - BILL.bottom),
        *rows,
        title="Expected monthly bill of each option in USD, by chapter of the bill",
        description="; ".join(_describe_bar(at, option) for at, option in enumerate(options)),
        height=height,
    )


def legend(options: Sequence[Option]) -> Markup:
    found = {group for option in options for group, _ in chapters(option)}
    return axes.element(
        "p",
        *(
            axes.element("span", axes.element("i", class_=slug(group)), axes.escape_text(group.value))
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


def _describe_bar(at: int, option: Option) -> str:
    parts = ", ".join(f"{group.value} {usd(amount)}" for group, amount in chapters(option))
    return f"{option_title(at, option)}: {said_total(option.bill.usd_per_month.expected, bill=option.bill)} ({parts})"


def _row(at: int, option: Option, axis: axes.Scale, *, y: int) -> Iterator[Markup]:
    name, where = option_title(at, option), f"  {places(option)}"
    amount = said_total(option.bill.usd_per_month.expected, bill=option.bill)
    fits = len(name + where + amount) * axes.BOLD_LETTER <= axes.WIDTH - BILL.left - BILL.right
    yield axes.heading(name, beside=where if fits else "", amount=amount, x=BILL.left, y=y + 17)
    yield from _stack(option, axis, y=y + BELOW_NAME)
    yield axes.text(amount, x=axes.WIDTH - BILL.right - 8, y=y + 17, class_="amount end")


def _stack(option: Option, axis: axes.Scale, *, y: int) -> Iterator[Markup]:
    start = ZERO
    for group, amount in chapters(option):
        x = axis.at(start)
        bar = axes.element("rect", x=x, y=y, width=axis.at(start + amount) - x, height=BILL_BAR, class_=slug(group))
        yield axes.with_hover(f"{group.value}: {usd(amount)} USD a month", bar)
        start += amount


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeBar:
    """A node; `value` is None where it told none."""

    name: str
    value: Decimal | None
    failed: bool = False


def node_chart(bars: Sequence[NodeBar], *, least: Decimal | None, unit: str) -> Markup:
    ordered = sorted(bars, key=lambda each: (not each.failed, each.value is not None, each.name))
    shown = ordered[:MOST_BARS]
    most = max(
        [each.value for each in shown if each.value is not None] + ([least] if least else []), default=Decimal(1)
    )
    axis = NODES.scale(most)
    height = NODES.height(len(shown))
    more = f"; {len(ordered) - len(shown)} more nodes that passed are not drawn" if len(ordered) > len(shown) else ""
    return axes.picture(
        f"The slowest accelerator of each node in {unit}, against the least{more}",
        *axes.grid(axis, top=NODES.top - 4, bottom=height - NODES.bottom, unit=unit + more, shown="{:,}".format),
        *(part for at, each in enumerate(shown) for part in _node_bar(each, axis, y=NODES.row_top(at))),
        *_threshold(axis, least, bottom=height - NODES.bottom),
        width=NODES.width,
        height=height,
    )


def _node_bar(bar: NodeBar, axis: axes.Scale, *, y: int) -> Iterator[Markup]:
    kind = "failed" if bar.failed else "name"
    yield axes.text(bar.name, x=NODES.left - 10, y=y + 12, class_=f"right {kind}")
    if bar.value is None:
        yield axes.element(
            "text", axes.escape_text("not measured"), x=NODES.left + 4, y=y + 12, fill=UNTOLD, class_="where"
        )
        return
    end = axis.at(bar.value)
    colour = FAILED_COLOUR if bar.failed else PASSED
    mark = axes.element("rect", x=NODES.left, y=y, width=max(end - NODES.left, 2.0), height=BAR, fill=colour)
    yield axes.with_hover(f"{bar.name}: {axes.format_amount(bar.value)}", mark)
    said = f"{axes.format_amount(bar.value)}" + (" failed" if bar.failed else "")
    yield axes.text(said, x=end + 8, y=y + 8, class_="amount")


def _threshold(axis: axes.Scale, least: Decimal | None, *, bottom: int) -> Iterator[Markup]:
    if least is None:
        return
    x = axis.at(least)
    yield axes.element("line", x1=x, x2=x, y1=NODES.top - 10, y2=bottom + 4, class_="least")
    yield axes.text(f"least {axes.format_amount(least)}", x=x, y=NODES.top - 14, class_="ceiling-name")


def strips(form: SlaForm) -> Markup:
    year, month = (int(each) for each in form["month"].split("-"))
    days = monthrange(year, month)[1]
    height = STRIPS.height(len(form["parts"]))
    return axes.picture(
        f"What stood when, {form['month']}",
        *_standings_legend(),
        *(mark for at, part in enumerate(form["parts"]) for mark in _strip(part, y=STRIPS.row_top(at), days=days)),
        *_days(days, y=height - STRIPS.bottom),
        width=STRIPS.width,
        height=height,
    )


def _standings_legend() -> Iterator[Markup]:
    x = STRIPS.left
    for standing in LEGEND:
        said = SAID_STANDING[standing]
        yield axes.element("rect", x=x, y=4, width=12, height=12, rx=2, class_=_fill(standing))
        yield axes.text(said, x=x + 18, y=15, class_="said")
        x += 34 + 7 * len(said)


def _strip(part: PartForm, *, y: int, days: int) -> Iterator[Markup]:
    yield axes.text(part["title"], x=STRIPS.left, y=y + 14, class_="part")
    found = part["attained_percent"]
    none = "not counted" if part["verdict"] == "not counted" else "nothing committed"
    said = none if found is None else axes.format_percents(found["if_up"], found["if_down"])
    yield axes.text(said, x=STRIPS.width - STRIPS.right, y=y + 14, class_="said at-end")
    yield axes.element("rect", x=STRIPS.left, y=y + 20, width=STRIPS_WIDE, height=STRIP, class_="fill-up")
    last = {"not known": 0, "before": 0, "excluded": 1, "short": 2}  # the worst is drawn over the rest
    for span in sorted(part["spans"], key=lambda each: last[each["standing"]]):
        yield _stretch(span, y=y + 20, seconds=days * DAY)


def _stretch(span: ShortfallPeriodForm, *, y: int, seconds: int) -> Markup:
    """As wide as it was long; as high as the share that was missing, half at least."""
    x = STRIPS.left + (STRIPS_WIDE) * span["start_second"] / seconds
    width = max((STRIPS_WIDE) * (span["end_second"] - span["start_second"]) / seconds, NARROWEST)
    owed = Decimal(span["owed"])
    share = 1 - Decimal(span["delivered"]) / owed if span["delivered"] is not None and owed else Decimal(1)
    high = STRIP if span["standing"] != "short" else max(float(share) * STRIP, STRIP / 2)
    had = "" if span["delivered"] is None else f", {span['delivered']} of {span['owed']} there"
    hover = f"{SAID_STANDING[span['standing']]}: {span['start']} to {span['end']} ({span['hours']} h{had})"
    block = axes.element("rect", x=x, y=y, width=width, height=high, class_=_fill(span["standing"]))
    return axes.with_hover(hover, block)


def _fill(standing: str) -> str:
    return f"fill-{standing.replace(' ', '-')}"


def _days(days: int, *, y: int) -> Iterator[Markup]:
    for day in (*range(1, days - 2, EVERY), days):
        x = STRIPS.left + (STRIPS_WIDE) * (day - 1) / days
        yield axes.element("line", x1=x, x2=x, y1=y - 6, y2=y, class_="grid")
        yield axes.text(str(day), x=x + (STRIPS_WIDE) / days / 2, y=y + 14, class_="tick")


def timeline(form: RelocationPlanForm) -> Markup:
    steps = form["steps"]
    last = next((at for at, each in enumerate(steps) if each["name"] == form["point_of_no_return"]), len(steps))
    frozen = [at for at, each in enumerate(steps) if each["frozen"]]
    width = STEP_WIDTH * len(steps) + 2 * STEPS_LEFT
    return axes.picture(
        "Steps of the relocation, the freeze, and the point of no return",
        *_freeze(form, frozen),
        *(part for at, each in enumerate(steps) for part in _step(each, x=STEPS_LEFT + STEP_WIDTH * at)),
        *_no_return(STEPS_LEFT + STEP_WIDTH * last),
        width=width,
        height=150,
        class_="steps",
    )


def _freeze(form: RelocationPlanForm, frozen: Sequence[int]) -> Iterator[Markup]:
    if not frozen:
        return
    left, right = STEPS_LEFT + STEP_WIDTH * frozen[0], STEPS_LEFT + STEP_WIDTH * (frozen[-1] + 1)
    said = format_span_form(form["times"]["frozen"])
    window = form["times"]["window_seconds"] // 60
    words = f"write freeze: {said} (window {window} min), then as long as is observed"
    yield axes.element("rect", x=left, y=22, width=right - left, height=108, fill=FROZEN, opacity=0.1)
    yield axes.text(words, x=(left + right) / 2, y=16, class_="tick")


def _step(step: RelocationStepForm, *, x: int) -> Iterator[Markup]:
    colour = FROZEN if step["frozen"] else MOVING
    hover = f"{step['title']}: proves that {step['proves']}"
    block = axes.element("rect", x=x + 2, y=36, width=STEP_WIDTH - 4, height=BAND, rx=4, fill=colour)
    name = step["name"].replace("_", " ")
    label = axes.text(name, x=x + STEP_WIDTH / 2, y=36 + BAND / 2 + 4, class_="on-bar")
    yield axes.with_hover(hover, block, label)
    for at, part in enumerate(_two_lines(format_span_form(step["span"]))):
        yield axes.text(part, x=x + STEP_WIDTH / 2, y=100 + 14 * at, class_="tick small")


def _two_lines(words: str) -> list[str]:
    found = words.split(" ")
    half = (len(found) + 1) // 2
    return [" ".join(found[:half]), " ".join(found[half:])] if len(found) > 1 else found


def _no_return(x: int) -> Iterator[Markup]:
    yield axes.element("line", x1=x, x2=x, y1=22, y2=134, class_="ceiling")
    yield axes.text("point of no return", x=x + 4, y=146, class_="ceiling-name at-end")
