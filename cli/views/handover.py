"""Acceptance and SLA reports for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.box import SIMPLE_HEAD
from rich.table import Table

from planning.acceptance.report.document import VERDICTS
from planning.agents.measurement_records import BY_ID
from planning.service_levels.document import FormFigures, conclusion, format_verdict
from planning.values.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from components.acceptance.model import PlannedJob
    from planning.acceptance.report.form import AcceptanceForm
    from planning.service_levels.form import PartForm, SlaForm


MOST: Final = 40


def jobs_table(jobs: Sequence[PlannedJob]) -> Table:
    table = Table(box=None, pad_edge=False)
    for head in ("stage", "job", "about", "measures", "makes"):
        table.add_column(head, overflow="fold")
    table.add_column("at most", justify="right", no_wrap=True)
    for each in jobs:
        made = ", ".join(dict.fromkeys(str(manifest["kind"]) for manifest in each.objects))
        table.add_row(
            str(each.stage), each.name, each.subject, ", ".join(each.checks), made, f"{each.seconds // 60} min"
        )
    return table


def verdict_lines(form: AcceptanceForm) -> Iterator[str]:
    yield f"{form['stack']} {form['option']}: {VERDICTS[form['outcome']]}"
    if form["failed_nodes"]:
        yield f"nodes that failed: {', '.join(form['failed_nodes'])}"
    if form["only"]:
        yield f"only {', '.join(form['only'])}: this is not the acceptance of the cluster"
    if form["signature"] is None:
        yield "not signed"
    else:
        yield f"signed with the key {form['signature']['key']}"


def verdict_table(form: AcceptanceForm) -> Table:
    table = Table(box=None, pad_edge=False)
    for head in ("verdict", "about", "what", "found"):
        table.add_column(head)
    worst = [each for each in form["verdicts"] if each["outcome"] not in {"passed", "noted"}]
    worst.sort(key=lambda each: each["outcome"] != "failed")
    for each in worst[:MOST]:
        table.add_row(each["outcome"], each["subject"], BY_ID[each["check"]].title, printable(each["sentence"]))
    for text in (*form["unfinished"], *form["faults"])[:MOST]:
        table.add_row("told", "", "", printable(text))
    if len(worst) > MOST:
        table.add_row("", "", "", f"and {len(worst) - MOST} more: see the report")
    passed = sum(each["outcome"] == "passed" for each in form["verdicts"])
    table.add_row("passed", "", "", f"{passed} of {len(form['verdicts'])}")
    return table


COLUMNS = (
    "part",
    "if up %",
    "if down %",
    "committed h",
    "missing h",
    "excluded h",
    "not known h",
    "credit USD",
    "verdict",
)


def parts(form: SlaForm) -> Iterator[RenderableType]:
    yield f"{form['stack']}, {form['month']} (UTC)"
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0))
    for at, column in enumerate(COLUMNS):
        table.add_column(column, justify="right" if 0 < at < len(COLUMNS) - 1 else "left")
    for part in form["parts"]:
        table.add_row(*_row(part))
    yield table
    yield conclusion(form, FormFigures(form, table_source="")).text
    yield from _remarks(form)


def _row(part: PartForm) -> Iterator[str]:
    found = part["attained_percent"]
    yield part["title"]
    none = "not measured" if part["verdict"] == "not counted" else "nothing committed"
    yield from (found["if_up"], found["if_down"]) if found else (none, "")
    hours = part["hours"]
    yield from (hours["owed"], hours["short"], hours["excluded"], hours["not_known"])
    yield _amount(part)
    yield format_verdict(part)


def _amount(part: PartForm) -> str:
    low, high = part["credit_usd"]["if_up"], part["credit_usd"]["if_down"]
    if any(line["credit_usd"] is None for line in part["lines"]):
        return "no price"
    return low if low == high else f"{low} to {high}"


def _remarks(form: SlaForm) -> Iterator[str]:
    if not form["over"]:
        yield "The month is not over: what has not yet been counts as not known."
    if form["counted_from"]:
        yield f"Counted from {form['counted_from']}, when the work began."
    for part in form["parts"]:
        if part["verdict"] == "not counted":
            yield f"Not counted: {part['title']}; the annex leaves it out of the credits."
        elif not part["recorded"]:
            yield f"No measurements of {part['title']}: {part['series'][0]} is missing."
    for name in form["not_recorded"]:
        yield f"Nothing records the placement {name}."
    for key in form["untold"]:
        yield f"{key} has no price in the lock: its credit cannot be told, and the sum is a floor."
    yield from _below(form)
    yield from _unusable(form)
    for each in form["exclusions"]:
        if each["refused"]:
            yield f"Not excluded: {each['component']} from {each['start']} ({each['reason']}): {each['refused']}."
    yield from (f"Note: {each}." for each in form["notes"])


def _below(form: SlaForm) -> Iterator[str]:
    for part in form["parts"]:
        if part["verdict"] == "below":
            yield f"Promised of {part['title']}: {part['promised_percent']}% of the month."


def _unusable(form: SlaForm) -> Iterator[str]:
    for part in form["parts"]:
        found = part["unusable_usd"]
        if found is not None and found["if_down"] != "0.00":
            usd = found["if_up"] if found["if_up"] == found["if_down"] else f"{found['if_up']} to {found['if_down']}"
            yield f"For comparison: unusable node-hours of {part['title']} cost {usd} USD; only the credit is due."
