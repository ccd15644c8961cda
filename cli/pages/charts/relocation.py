"""The charts of a relocation's plan: what it costs once, by line, and its steps."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from cli.pages.charts.axes import Scale, element, escape_text, grid, picture, scale, text, with_hover
from cli.terminal.amounts import usd
from cli.views.relocation import format_span_form, sections, sum_lines
from planning.values.money import ZERO

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markupsafe import Markup

    from planning.costs.json_shapes import LineForm
    from planning.relocation.plan_form import RelocationPlanForm, RelocationStepForm
    from planning.values.money import Range


WIDTH: Final = 960
LEFT: Final = 8
RIGHT: Final = 150
ROW: Final = 40
BAR: Final = 14
TOP: Final = 12
BOTTOM: Final = 44
SMALL: Final = Decimal("0.004")  # of the longest expected reading; smaller lines stand together
FURTHEST: Final = Decimal(3)  # times the longest expected reading; what ends beyond, ends in an arrow
# Okabe and Ito's colours, as the other charts have them.
COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
FROZEN: Final = "#d55e00"
MOVING: Final = "#0072b2"
STEP_WIDTH: Final = 64
BAND: Final = 46


def bill_chart(form: RelocationPlanForm) -> Markup:
    rows = list(_rows(form["bill"]["bill"]["lines"]))
    reach = _reach([found for _, _, found, _ in rows])
    axis = scale(reach, left=LEFT, width=WIDTH - LEFT - RIGHT)
    height = TOP + ROW * len(rows) + BOTTOM
    return picture(
        "What the relocation costs once, by line, in USD: from min to max, a tick at expected",
        *grid(axis, top=TOP - 4, bottom=height - BOTTOM, unit="USD, once", shown="{:,.0f}".format),
        *(part for at, row in enumerate(rows) for part in _bar(*row, axis=axis, y=TOP + ROW * at)),
        width=WIDTH,
        height=height,
    )


def _rows(lines: Sequence[LineForm]) -> Iterator[tuple[str, str, Range, str]]:
    """Label, section, amount and colour; lines with one label together, and small ones of a section."""
    found = [(title, _amounts(mine)) for title, mine in sections(lines)]
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


def _amounts(lines: Sequence[LineForm]) -> list[tuple[str, Range]]:
    found: dict[str, list[LineForm]] = {}
    for line in lines:
        if line["state"] == "priced":
            found.setdefault(line["label"], []).append(line)
    amounts = [(label, sum_lines(each)[0]) for label, each in found.items()]
    return sorted(((label, each) for label, each in amounts if each.max > ZERO), key=lambda row: -row[1].expected)


def _reach(amounts: Sequence[Range]) -> Decimal:
    """As far as the picture goes: one line that may cost everything must not hide the others."""
    most = max((each.max for each in amounts), default=ZERO)
    expected = max((each.expected for each in amounts), default=ZERO)
    return min(most, expected * FURTHEST) or most


def _bar(label: str, section: str, amount: Range, colour: str, *, axis: Scale, y: int) -> Iterator[Markup]:
    where = element("tspan", escape_text(f"  {section}"), class_="where")
    yield element("text", escape_text(label), where, x=LEFT, y=y + 13)
    middle = y + 18 + BAR // 2
    left, right = axis.at(amount.min), axis.at(min(amount.max, axis.most))
    tick = axis.at(min(amount.expected, axis.most))
    hover = f"{usd(amount.min)} / {usd(amount.expected)} / {usd(amount.max)} USD"
    solid = element("rect", x=LEFT, y=y + 18, width=max(tick - LEFT, 2.0), height=BAR, fill=colour)
    more = element("rect", x=tick, y=y + 18, width=max(right - tick, 0.0), height=BAR, fill=colour, opacity=0.35)
    yield with_hover(hover, solid, more)
    if right - left > 1:
        yield element("line", x1=left, x2=right, y1=middle, y2=middle, class_="whisker")
    if amount.max > axis.most:
        yield element("path", d=f"M{right} {y + 18} l8 {BAR // 2} l-8 {BAR // 2} z", fill=colour, opacity=0.35)
    beyond = f" (to {usd(amount.max)})" if amount.max != amount.expected else ""
    place = right + 14 if amount.max > axis.most else max(right, tick) + 8
    anchor = "end" if place > WIDTH - RIGHT - 60 and beyond else "start"
    x = WIDTH - 4 if anchor == "end" else place
    yield element(
        "text", escape_text(f"{usd(amount.expected)}{beyond}"), x=x, y=middle, class_="amount", text_anchor=anchor
    )


def timeline(form: RelocationPlanForm) -> Markup:
    steps = form["steps"]
    last = next((at for at, each in enumerate(steps) if each["name"] == form["point_of_no_return"]), len(steps))
    frozen = [at for at, each in enumerate(steps) if each["frozen"]]
    width = STEP_WIDTH * len(steps) + 2 * LEFT
    return picture(
        "Steps of the relocation, the freeze, and the point of no return",
        *_freeze(form, frozen),
        *(part for at, each in enumerate(steps) for part in _step(each, x=LEFT + STEP_WIDTH * at)),
        *_no_return(LEFT + STEP_WIDTH * last),
        width=width,
        height=150,
        class_="steps",
    )


def _freeze(form: RelocationPlanForm, frozen: Sequence[int]) -> Iterator[Markup]:
    if not frozen:
        return
    left, right = LEFT + STEP_WIDTH * frozen[0], LEFT + STEP_WIDTH * (frozen[-1] + 1)
    said = format_span_form(form["times"]["frozen"])
    window = form["times"]["window_seconds"] // 60
    words = f"writers stand still: {said} (window {window} min), then as long as is observed"
    yield element("rect", x=left, y=22, width=right - left, height=108, fill=FROZEN, opacity=0.1)
    yield text(words, x=(left + right) / 2, y=16, class_="tick")


def _step(step: RelocationStepForm, *, x: int) -> Iterator[Markup]:
    colour = FROZEN if step["frozen"] else MOVING
    hover = f"{step['title']}: proves that {step['proves']}"
    block = element("rect", x=x + 2, y=36, width=STEP_WIDTH - 4, height=BAND, rx=4, fill=colour)
    name = step["name"].replace("_", " ")
    label = text(name, x=x + STEP_WIDTH / 2, y=36 + BAND / 2 + 4, class_="on-bar")
    yield with_hover(hover, block, label)
    for at, part in enumerate(_two_lines(format_span_form(step["span"]))):
        yield text(part, x=x + STEP_WIDTH / 2, y=100 + 14 * at, class_="tick small")


def _two_lines(words: str) -> list[str]:
    found = words.split(" ")
    half = (len(found) + 1) // 2
    return [" ".join(found[:half]), " ".join(found[half:])] if len(found) > 1 else found


def _no_return(x: int) -> Iterator[Markup]:
    yield element("line", x1=x, x2=x, y1=22, y2=134, class_="ceiling")
    yield text("no way back", x=x + 4, y=146, class_="ceiling-name at-end")
