"""What the engine did, as a reader meets it: one moving line while it works, then tables."""

from __future__ import annotations

import json
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.markup import escape

from cli.terminal.console import note, show
from cli.terminal.tables import make_table
from cli.views.plan import exemption_lines, verdict_lines
from operations.engine.stack_warnings import reminders
from operations.project.workspace import display_path
from planning.values.printable import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
    from datetime import date

    from rich.table import Table

    from operations.engine.operation import OperationReport, Progress, ResourceStep
    from operations.engine.session import StackSession
    from operations.engine.teardown import StackResource
    from operations.plans.plan import Planned
    from operations.project.workspace import Project


EVERY_S: Final = 30.0  # between two lines of progress without a terminal
LONGEST: Final = 100  # characters of an output in a table
PROPERTIES_SHOWN: Final = 4
SAME: Final = "same"
DONE: Final = {
    "create": "created",
    "update": "updated",
    "delete": "deleted",
    "replace": "replaced",
    "same": "unchanged",
    "read": "read",
    "refresh": "refreshed",
    "import": "imported",
}


@contextmanager
def show_progress(title: str) -> Generator[Callable[[str], None]]:
    if sys.stderr.isatty():
        with Console(stderr=True).status(title) as status:
            yield lambda line: status.update(f"{title}: {escape(printable(line))}")
        return
    last = time.monotonic()

    def say(line: str) -> None:
        nonlocal last
        if time.monotonic() - last >= EVERY_S:
            last = time.monotonic()
            note(f"{title}: {line}")

    yield say


def terminal_progress() -> Progress:
    from operations.engine.operation import Progress  # noqa: PLC0415 - Pulumi is imported once needed

    return Progress(follow=show_progress, say=note)


def counts_line(title: str, changes: Mapping[str, int], *, seconds: float, ahead: bool) -> str:
    """What became of how many resources (up: 33 created in 12 s); `ahead`: what would become of them."""
    ordered = sorted(changes.items(), key=lambda change: (change[0] == SAME, change))
    words = [f"{count} {_word(action, ahead=ahead)}" for action, count in ordered if count]
    return f"{title}: {', '.join(words) or 'nothing to do'} in {seconds:.0f} s"


def steps_table(steps: Sequence[ResourceStep]) -> Table:
    """Resources that differ, and which of their properties; never a value."""
    rows = ((step.action, step.type, step.name, _some(step.properties)) for step in steps)
    return make_table(("action", "type", "resource", "properties"), rows)


def retention_table(kept: Iterable[tuple[str, StackResource]]) -> Table:
    return make_table(("kept", "type", "resource", "id"), ((why, each.type, each.name, each.id) for why, each in kept))


def outputs_table(rows: Iterable[tuple[str, object]], *, whole: bool) -> Table:
    """Outputs by name; `whole`: long texts are not cut."""
    return make_table(("output", "value"), ((name, _cell(value, whole=whole)) for name, value in rows))


def facts_table(rows: Iterable[tuple[str, str]]) -> Table:
    table = make_table(("", ""), rows)
    table.show_header = False
    return table


def _word(action: str, *, ahead: bool) -> str:
    if action == SAME:
        return DONE[action]
    return f"to {action}" if ahead else DONE.get(action, action)


def _some(properties: Sequence[str]) -> str:
    more = len(properties) - PROPERTIES_SHOWN
    return ", ".join(properties[:PROPERTIES_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _cell(value: object, *, whole: bool) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if whole or (len(text) <= LONGEST and "\n" not in text):
        return text
    return f"{text.splitlines()[0][:LONGEST]} … ({len(text.splitlines())} lines)"


def tell_plan(project: Project, plan: Planned, *, today: date, own: str) -> None:
    for line in (*reminders(project, plan.lock, today=today, own=own), *plan.unmatched):
        note(f"warning: {line}")
    show(*verdict_lines(plan), *exemption_lines(plan.report))


def tell_opened(opened: StackSession) -> None:
    """Where the state of a stack made just now is, as long as it was not chosen."""
    if opened.is_new and opened.backend.folder:
        note(f"state of {opened.name}: {display_path(opened.backend.folder)}, ignored by git")
        note(f"for plain pulumi: export {opened.backend.prefix().strip()}")


def tell_report(report: OperationReport, *, ahead: bool = False) -> None:
    """Warnings, then what changed or would change; a failure is raised after that.

    Raises:
        AtollError: the operation failed.
    """
    from operations.engine.messages import merge_reasons  # noqa: PLC0415 - Pulumi is imported once needed

    for warning in merge_reasons(report.warnings):
        note(f"warning: {warning}")
    if ahead and report.steps:
        show(steps_table(report.steps))
    if report.failure is None or not (ahead or report.is_empty):
        show(counts_line(report.title, report.changes, seconds=report.seconds, ahead=ahead))
    if report.failure is None:
        return
    reasons = merge_reasons(report.complaints)
    for reason in reasons if len(reasons) > 1 else ():
        note(reason)
    raise report.failure
