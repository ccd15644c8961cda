"""Nodes and incidents as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.box import SIMPLE_HEAD
from rich.table import Table

from planning.values.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from planning.incidents.form import IncidentForm, IncidentsForm, NodeForm, NodesForm


TIMES: Final = ("opened", "cordoned", "drained", "replaced", "closed")


def nodes_parts(form: NodesForm) -> Iterator[RenderableType]:
    table = Table("node", "pool", "state", "spare", "burn-in", "incident", "findings", box=SIMPLE_HEAD, pad_edge=False)
    for each in form["nodes"]:
        table.add_row(
            each["name"],
            each["pool"],
            _state(each),
            "held" if each["spare"] else "-",
            each["burn_in"] or "-",
            each["incident"] or "-",
            "; ".join(f"{one['name']}: {one['meaning']}" for one in each["findings"]) or "-",
        )
    yield table if form["nodes"] else f"No node of the cluster is of {form['stack']}."
    if form["strangers"]:
        yield f"Left alone, for they are not of this stack: {', '.join(form['strangers'])}"
    if form["silence"]:
        yield f"Xids are known only from conditions: {form['silence']}"


def incidents_parts(form: IncidentsForm) -> Iterator[RenderableType]:
    if not form["incidents"]:
        yield f"No node of {form['stack']} has failed, as far as the log tells."
        return
    table = Table("id", "node", *TIMES, "spare", "cause", "stands", box=SIMPLE_HEAD, pad_edge=False)
    for each in form["incidents"]:
        table.add_row(*_row(each))
    yield table


def incidents_markdown(form: IncidentsForm) -> str:
    heads = ("id", "node", *TIMES, "spare", "cause", "stands")
    lines = [f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}"]
    lines += [f"| {' | '.join(_cell(cell) for cell in _row(each))} |" for each in form["incidents"]]
    return "\n".join((f"# Nodes of {form['stack']} that failed", "", "Times are UTC.", "", *lines, ""))


def _row(each: IncidentForm) -> tuple[str, ...]:
    times = (each["opened"], each["cordoned"], each["drained"], each["replaced"], each["closed"])
    stands = each["end"] or each["trouble"] or each["remedy"] or "open"
    return (each["id"], each["node"], *(_time(time) for time in times), each["spare"] or "-", each["cause"], stands)


def _time(text: str | None) -> str:
    return f"{text[:10]} {text[11:16]}" if text else "-"


def _state(each: NodeForm) -> str:
    return each["standing"] + (", cordoned" if each["cordoned"] and not each["spare"] else "")


def _cell(text: str) -> str:
    return printable(" ".join(text.replace("|", "/").split()))
