"""A relocation's plan as tables: what moves, what it costs, how long it takes, and what was asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

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
    from collections.abc import Iterator

    from rich.console import RenderableType

    from operations.relocation.runner.status import StatusForm
    from planning.costs.json_shapes import LineForm
    from planning.relocation.form import RelocationPlanForm


def relocation_parts(form: RelocationPlanForm) -> Iterator[RenderableType]:
    yield heading(form)
    yield "Moved:"
    yield transfer_table(form)
    yield "Left out, and what its way would cost:"
    yield exclusion_table(form)
    yield from (f"Not asked: {each['what']}: {each['why']}" for each in form["unlooked"])
    yield from describe_manual_work(form)
    yield bill_table(form)
    yield "Steps; writers stand still where a line says frozen:"
    yield steps_table(form)
    yield from questions(form)
    yield from (f"Note: {each['text']}" for each in (*form["notes"], *form["bill"]["notes"]))
    yield "\n".join(conclusion(form))


def _table(*columns: str) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0))
    for each in columns:
        table.add_column(each, overflow="fold")
    return table


def transfer_table(form: RelocationPlanForm) -> Table:
    table = _table("what", "class", "size", "by", "what that loses")
    for each in select_moved(form):
        title = Group(Text(each["title"]), Padding(Text(each["key"], style="dim"), (0, 0, 0, 2)))
        style = "red" if each["mover"] and each["mover"]["loses"] else ""
        row = (each["loss"], format_thing_size(each), mover_text(each))
        table.add_row(title, *map(Text, row), Text(losses_text(each), style=style))
    return table


def exclusion_table(form: RelocationPlanForm) -> Table:
    table = _table("what", "becomes", "size", "saved", "because")
    for each in select_left_out(form):
        cells = (
            each["title"],
            each["treatment"],
            format_thing_size(each),
            format_usd_form(each["saved_usd"]),
            each["reason"],
        )
        table.add_row(*map(Text, cells))
    return table


def bill_table(form: RelocationPlanForm) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("what it costs, once", overflow="fold")
    for reading in ("min", "expected", "max"):
        table.add_column(f"USD\n{reading}", justify="right", no_wrap=True, min_width=10)
    lines = form["bill"]["bill"]["lines"]
    for title, mine in sections(lines):
        for line in mine:
            table.add_row(*_cells(line))
        _add_sum(table, title, mine, style="bold dim")
    _add_sum(table, "everything", lines, style="bold")
    return table


def _cells(line: LineForm) -> tuple[RenderableType, ...]:
    label = Group(Text(line["label"]), Padding(Text(describe_bill_line(line), style="dim"), (0, 0, 0, 2)))
    if line["state"] == "unpriced":
        return label, "", Text("unpriced", style="yellow"), ""
    if line["state"] == "free":
        return label, "", "free", ""
    return label, *cents(line["usd_per_month"])


def _add_sum(table: Table, title: str, lines: list[LineForm], *, style: str) -> None:
    total, unpriced = sum_lines(lines)
    more = f", {unpriced} unpriced" if unpriced else ""
    floor = ">= " if unpriced else ""
    amounts = (f"{floor}{each}" for each in cents(cents_form(total)))
    table.add_row(Text(f"{title}{more}"), *amounts, style=style, end_section=True)


def steps_table(form: RelocationPlanForm) -> Table:
    table = _table("step", "time", "proves", "stops where", "way back")
    for each in form["steps"]:
        last = each["name"] == form["point_of_no_return"]
        name = f"{each['name']}{' (frozen)' if each['frozen'] else ''}"
        back = "none: the point of no return" if last else each["way_back"]
        cells = (name, format_span_form(each["span"]), each["proves"], each["aborts"], back)
        table.add_row(*map(Text, cells), style="bold" if last else "")
    return table


def questions(form: RelocationPlanForm) -> Iterator[RenderableType]:
    for each in form["questions"]:
        yield Text(each["question"], style="bold")
        yield Padding(Text("\n".join(each["sentences"])), (0, 0, 0, 2))


def status_parts(form: StatusForm) -> Iterator[RenderableType]:
    state = form["state"].replace("_", " ")
    yield f"{form['source']} to {form['target']}, attempt {form['attempt']}: {state}"
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for name in ("step", "state", "since", "evidence"):
        table.add_column(name, overflow="fold")
    for each in form["steps"]:
        again = f" ({each['tries']} times)" if each["tries"] > 1 else ""
        since = (each["at"] or "")[:19].replace("T", " ")
        table.add_row(each["name"], f"{each['state']}{again}", since, each["brief"])
    yield table
    if form["running"]:
        yield f"it is being run by {form['running']}"
    if form["frozen"]:
        yield form["frozen"]
    yield form["why"]
    yield f"next: {form['next']}"
