"""A relocation's plan on one page that needs nothing but itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cli.pages.charts.relocation import bill_chart, loss_matrix, timeline
from cli.pages.documents.markup import Markup, cells, element, escape_text, join_parts, make_scrollable, whole_page
from cli.views.relocation.descriptions import (
    cents,
    conclusion,
    describe_bill_line,
    describe_manual_work,
    format_span_form,
    format_thing_size,
    format_usd_form,
    heading,
    losses_text,
    mover_text,
    sections,
    select_left_out,
    select_moved,
    sum_lines,
)
from planning.quoting.quote_form import cents_form

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from planning.costs.json_shapes import LineForm
    from planning.relocation.form import RelocationPlanForm, ThingForm

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
    yield make_scrollable(_transfer_table(form))
    yield element("h2", escape_text("What is left out"))
    yield make_scrollable(_exclusion_table(form))
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
    yield make_scrollable(_steps(form))
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
        amounts = ("", line["state"], "") if line["state"] != "priced" else cents(line["usd_per_month"])
        yield cells("td", (line["label"], describe_bill_line(line), *amounts), numbers_from=2)
    yield _sum(title, lines)


def _sum(title: str, lines: Sequence[LineForm]) -> Markup:
    total, unpriced = sum_lines(lines)
    floor, more = (">= ", f"{unpriced} without a price") if unpriced else ("", "")
    row = cells("td", (title, more, *(f"{floor}{each}" for each in cents(cents_form(total)))), numbers_from=2)
    return Markup(row.replace("<tr>", '<tr class="sum">', 1))


def _transfer_table(form: RelocationPlanForm) -> Markup:
    head = element("thead", cells("th", ("what", "class", "size", "by", "what that loses"), numbers_from=99))
    return element("table", head, element("tbody", join_parts(map(_transfer_row, select_moved(form)))), class_="tight")


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


def _exclusion_table(form: RelocationPlanForm) -> Markup:
    head = element("thead", cells("th", ("what", "becomes", "size", "saved", "because"), numbers_from=99))
    rows = (
        cells(
            "td",
            (
                each["title"],
                each["treatment"],
                format_thing_size(each),
                format_usd_form(each["saved_usd"]),
                each["reason"],
            ),
            numbers_from=99,
        )
        for each in select_left_out(form)
    )
    return element("table", head, element("tbody", join_parts(rows)), class_="tight")


def _steps(form: RelocationPlanForm) -> Markup:
    head = element("thead", cells("th", ("step", "time", "proves", "stops where", "way back"), numbers_from=99))
    rows: list[Markup] = []
    for each in form["steps"]:
        last = each["name"] == form["point_of_no_return"]
        name = f"{each['name']}{' (frozen)' if each['frozen'] else ''}"
        back = "none: the point of no return" if last else each["way_back"]
        row = cells("td", (name, format_span_form(each["span"]), each["proves"], each["aborts"], back), numbers_from=99)
        rows.append(Markup(row.replace("<tr>", '<tr class="sum">', 1)) if last else row)
    return element("table", head, element("tbody", join_parts(rows)))
