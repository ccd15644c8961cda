"""A relocation's plan on one page that needs nothing but itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cli.pages.charts.relocation import bill_chart, loss_matrix, timeline
from cli.pages.documents.markup import Markup, cells, element, joined, whole_page, wide, words
from cli.views.relocation.descriptions import (
    cents,
    conclusion,
    heading,
    left_out,
    left_to_you,
    losses_text,
    made_of,
    moved,
    mover_text,
    said_size,
    said_span,
    said_usd,
    sections,
    summed,
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
    """The whole page as text, without anything that would be fetched."""
    title = f"{form['source']['stack']} to {form['target']['stack']}: relocation"
    return whole_page(title, joined(_body(form)), style=MORE_STYLE)


def _body(form: RelocationPlanForm) -> Iterator[Markup]:
    yield element("h1", words(f"Relocation of {form['source']['stack']}"))
    yield element("p", words(heading(form)), class_="faint")
    yield element("div", *map(_fact, conclusion(form)), class_="facts")
    yield element("h2", words("Steps"))
    yield wide(timeline(form))
    yield element("h2", words("What it costs, once"))
    yield wide(bill_chart(form))
    yield element("details", element("summary", words("Every line, with sources")), wide(_bill(form)))
    yield element("h2", words("What moves"))
    yield wide(_moved(form))
    yield element("h2", words("What is left out"))
    yield wide(_left_out(form))
    for each in form["unlooked"]:
        yield element("p", words(f"Not asked: {each['what']}: {each['why']}"), class_="cannot-tell")
    for each in left_to_you(form):
        yield element("p", words(each))
    yield element("h2", words("What each mover carries"))
    yield loss_matrix(form["matrix"])
    yield element("h2", words("Questions"))
    for each in form["questions"]:
        yield element("h3", words(each["question"]))
        yield element("p", words(" ".join(each["sentences"])))
    yield element("h2", words("Each step"))
    yield wide(_steps(form))
    yield element("h2", words("Notes"))
    for each in (*form["notes"], *form["bill"]["notes"]):
        yield element("p", words(each["text"] + (f" ({each['source']})" if each["source"] else "")))
    yield element("p", words("Digest of this plan: "), element("code", words(form["digest"])), class_="faint")


def _fact(sentence: str) -> Markup:
    """What stands before the colon is its name."""
    name, _, said = sentence.partition(": ")
    kind = "lost" if name.startswith("LOST") else ""
    return element("div", element("b", words(name)), element("span", words(said), class_=kind))


def _bill(form: RelocationPlanForm) -> Markup:
    lines = form["bill"]["bill"]["lines"]
    head = element("thead", cells("th", ("line", "made of", "min", "expected", "max"), numbers_from=2))
    rows = [row for title, mine in sections(lines) for row in _section(title, mine)]
    return element("table", head, element("tbody", joined([*rows, _sum("everything", lines)])))


def _section(title: str, lines: Sequence[LineForm]) -> Iterator[Markup]:
    for line in lines:
        amounts = ("", line["state"], "") if line["state"] != "priced" else cents(line["usd_per_month"])
        yield cells("td", (line["label"], made_of(line), *amounts), numbers_from=2)
    yield _sum(title, lines)


def _sum(title: str, lines: Sequence[LineForm]) -> Markup:
    total, unpriced = summed(lines)
    floor, more = (">= ", f"{unpriced} without a price") if unpriced else ("", "")
    row = cells("td", (title, more, *(f"{floor}{each}" for each in cents(cents_form(total)))), numbers_from=2)
    return Markup(row.replace("<tr>", '<tr class="sum">', 1))


def _moved(form: RelocationPlanForm) -> Markup:
    head = element("thead", cells("th", ("what", "class", "size", "by", "what that loses"), numbers_from=99))
    return element("table", head, element("tbody", joined(map(_moved_row, moved(form)))), class_="tight")


def _moved_row(thing: ThingForm) -> Markup:
    title = element("td", words(thing["title"]), element("span", words(thing["key"]), class_="key"))
    lost = "lost" if thing["mover"] and thing["mover"]["loses"] else ""
    why = thing["mover"]["why"] if thing["mover"] else ""
    return element(
        "tr",
        title,
        element("td", words(thing["loss"]), title=thing["reason"]),
        element("td", words(said_size(thing)), title=thing["sized_by"]),
        element("td", words(mover_text(thing)), title=why),
        element("td", words(losses_text(thing)), class_=lost),
    )


def _left_out(form: RelocationPlanForm) -> Markup:
    head = element("thead", cells("th", ("what", "becomes", "size", "saved", "because"), numbers_from=99))
    rows = (
        cells(
            "td",
            (each["title"], each["treatment"], said_size(each), said_usd(each["saved_usd"]), each["reason"]),
            numbers_from=99,
        )
        for each in left_out(form)
    )
    return element("table", head, element("tbody", joined(rows)), class_="tight")


def _steps(form: RelocationPlanForm) -> Markup:
    head = element("thead", cells("th", ("step", "time", "proves", "stops where", "way back"), numbers_from=99))
    rows: list[Markup] = []
    for each in form["steps"]:
        last = each["name"] == form["point_of_no_return"]
        name = f"{each['name']}{' (frozen)' if each['frozen'] else ''}"
        back = "none: the point of no return" if last else each["way_back"]
        row = cells("td", (name, said_span(each["span"]), each["proves"], each["aborts"], back), numbers_from=99)
        rows.append(Markup(row.replace("<tr>", '<tr class="sum">', 1)) if last else row)
    return element("table", head, element("tbody", joined(rows)))
