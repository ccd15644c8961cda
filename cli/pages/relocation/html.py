"""A relocation's plan on one page that needs nothing but itself."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from cli.pages.charts.axes import Scale, grid, picture, scale, text, with_hover
from cli.pages.documents.html import Markup, cells, element, escape_text, join_parts, make_scrollable, whole_page
from cli.terminal.amounts import usd
from cli.views.relocation import (
    LEFT_OUT_HEADS,
    MOVED_HEADS,
    STEP_HEADS,
    conclusion,
    describe_bill_line,
    describe_manual_work,
    format_span_form,
    format_thing_size,
    heading,
    left_out_rows,
    line_amounts,
    losses_text,
    mover_text,
    sections,
    select_moved,
    step_rows,
    sum_cells,
    sum_lines,
)
from planning.values.money import ZERO

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from planning.costs.json_shapes import LineForm
    from planning.relocation.form import CellForm, RelocationPlanForm, RelocationStepForm, ThingForm
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
SIGNS: Final = {"kept": "●", "dropped": "○", "not known": "?"}


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


def loss_matrix(matrix: Sequence[CellForm]) -> Markup:
    tables = [_matrix(rows) for rows in _by_features(matrix)]
    legend = ", ".join(f"{sign} {word}" for word, sign in SIGNS.items())
    return join_parts([element("p", escape_text(legend), class_="faint"), *tables])


def _by_features(matrix: Sequence[CellForm]) -> Iterator[list[list[CellForm]]]:
    rows: dict[tuple[str, str, str], list[CellForm]] = {}
    for each in matrix:
        rows.setdefault((each["kind"], each["mover"], each["target"]), []).append(each)
    groups: dict[tuple[str, ...], list[list[CellForm]]] = {}
    for row in rows.values():
        groups.setdefault(tuple(each["feature"] for each in row), []).append(row)
    yield from groups.values()


def _matrix(rows: Sequence[Sequence[CellForm]]) -> Markup:
    head = cells("th", (f"{rows[0][0]['kind']}, into", *(each["feature"] for each in rows[0])), numbers_from=99)
    body = (
        element("tr", element("td", escape_text(f"{row[0]['mover']}, {row[0]['target']}")), *map(_cell, row))
        for row in rows
    )
    return make_scrollable(element("table", element("thead", head), element("tbody", join_parts(body))))


def _cell(each: CellForm) -> Markup:
    said = "; ".join(part for part in (each["carries"], each["note"], each["source"]) if part)
    return element(
        "td", escape_text(SIGNS[each["carries"]]), title=said, class_=f"sign {each['carries'].replace(' ', '-')}"
    )


MORE_STYLE: Final = """
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: .7rem; margin: 1rem 0; }
.facts div { background: var(--tint); border-radius: 6px; padding: .6rem .9rem; } .facts b { display: block;
  font-size: .78rem; color: var(--faint); font-weight: 600; text-transform: uppercase; letter-spacing: .04em; }
.tight td:nth-child(3) { white-space: nowrap; }
.wide > svg.steps { min-width: 54rem; } svg .on-bar { fill: #ffffff; text-anchor: middle; font-size: 11px; }
svg .small { font-size: 10px; } svg .at-end { text-anchor: start; font-size: 11px; }
td.sign { text-align: center; cursor: help; } .kept { color: var(--good); } .dropped { color: var(--alert); }
.not-known { color: var(--warn); } .lost { color: var(--alert); font-weight: 600; } .key { color: var(--faint);
  font-size: .8em; display: block; } code { font-size: .85em; overflow-wrap: anywhere; }
"""


def page(form: RelocationPlanForm) -> str:
    title = f"{form['source']['stack']} to {form['target']['stack']}: relocation"
    return whole_page(title, join_parts(_body(form)), style=MORE_STYLE)


def _body(form: RelocationPlanForm) -> Iterator[Markup]:
    yield element("h1", escape_text(f"Relocation of {form['source']['stack']}"))
    yield element("p", escape_text(heading(form)), class_="faint")
    yield element("div", *map(_fact, conclusion(form)), class_="facts")
    yield element("h2", escape_text("Steps"))
    yield make_scrollable(timeline(form))
    yield element("h2", escape_text("What it costs, once"))
    yield make_scrollable(bill_chart(form))
    yield element("details", element("summary", escape_text("Every line, with sources")), make_scrollable(_bill(form)))
    yield element("h2", escape_text("What moves"))
    yield make_scrollable(_table(MOVED_HEADS, map(_transfer_row, select_moved(form)), class_="tight"))
    yield element("h2", escape_text("What is left out"))
    rows = (cells("td", each, numbers_from=99) for each in left_out_rows(form))
    yield make_scrollable(_table(LEFT_OUT_HEADS, rows, class_="tight"))
    for each in form["unlooked"]:
        yield element("p", escape_text(f"Not asked: {each['what']}: {each['why']}"), class_="cannot-tell")
    for each in describe_manual_work(form):
        yield element("p", escape_text(each))
    yield element("h2", escape_text("What each mover carries"))
    yield loss_matrix(form["matrix"])
    yield element("h2", escape_text("Questions"))
    for each in form["questions"]:
        yield element("h3", escape_text(each["question"]))
        yield element("p", escape_text(" ".join(each["sentences"])))
    yield element("h2", escape_text("Each step"))
    yield make_scrollable(_table(STEP_HEADS, _steps(form)))
    yield element("h2", escape_text("Notes"))
    for each in (*form["notes"], *form["bill"]["notes"]):
        yield element("p", escape_text(each["text"] + (f" ({each['source']})" if each["source"] else "")))
    yield element(
        "p", escape_text("Digest of this plan: "), element("code", escape_text(form["digest"])), class_="faint"
    )


def _fact(sentence: str) -> Markup:
    """What stands before the colon is its name."""
    name, _, said = sentence.partition(": ")
    kind = "lost" if name.startswith("LOST") else ""
    return element("div", element("b", escape_text(name)), element("span", escape_text(said), class_=kind))


def _bill(form: RelocationPlanForm) -> Markup:
    lines = form["bill"]["bill"]["lines"]
    head = element("thead", cells("th", ("line", "made of", "min", "expected", "max"), numbers_from=2))
    rows = [row for title, mine in sections(lines) for row in _section(title, mine)]
    return element("table", head, element("tbody", join_parts([*rows, _sum("everything", lines)])))


def _section(title: str, lines: Sequence[LineForm]) -> Iterator[Markup]:
    for line in lines:
        yield cells("td", (line["label"], describe_bill_line(line), *line_amounts(line)), numbers_from=2)
    yield _sum(title, lines)


def _sum(title: str, lines: Sequence[LineForm]) -> Markup:
    unpriced, amounts = sum_cells(lines)
    more = f"{unpriced} without a price" if unpriced else ""
    return _mark_row(cells("td", (title, more, *amounts), numbers_from=2))


def _mark_row(row: Markup) -> Markup:
    return Markup(row.replace("<tr>", '<tr class="sum">', 1))


def _table(heads: Sequence[str], rows: Iterable[Markup], **attributes: str) -> Markup:
    head = element("thead", cells("th", heads, numbers_from=99))
    return element("table", head, element("tbody", join_parts(rows)), **attributes)


def _transfer_row(thing: ThingForm) -> Markup:
    title = element("td", escape_text(thing["title"]), element("span", escape_text(thing["key"]), class_="key"))
    lost = "lost" if thing["mover"] and thing["mover"]["loses"] else ""
    why = thing["mover"]["why"] if thing["mover"] else ""
    return element(
        "tr",
        title,
        element("td", escape_text(thing["loss"]), title=thing["reason"]),
        element("td", escape_text(format_thing_size(thing)), title=thing["sized_by"]),
        element("td", escape_text(mover_text(thing)), title=why),
        element("td", escape_text(losses_text(thing)), class_=lost),
    )


def _steps(form: RelocationPlanForm) -> Iterator[Markup]:
    for last, texts in step_rows(form):
        row = cells("td", texts, numbers_from=99)
        yield _mark_row(row) if last else row
