"""What the terminal shows: what would be made, and how it came out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.table import Table

from planning.acceptance.report.document import VERDICTS
from planning.agents.measurement_records import BY_ID
from planning.values.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from components.acceptance.model import PlannedJob
    from planning.acceptance.report.form import AcceptanceForm

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
