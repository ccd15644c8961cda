"""What the commands of the engine say before and after: verdict and report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cli.terminal.console import note, show
from cli.views.engine import counts_line, steps_table
from cli.views.plan import verdict_lines
from cli.views.policies import exemption_lines
from operations.engine.stack_warnings import reminders
from operations.project.workspace import shown

if TYPE_CHECKING:
    from datetime import date

    from operations.engine.operation import Report
    from operations.engine.session import Opened
    from operations.plans.plan import Planned
    from operations.project.workspace import Project


def tell_plan(project: Project, plan: Planned, *, today: date) -> None:
    """The bill in one line, the verdict, and what no longer is as it was accepted."""
    for line in (*reminders(project, plan.lock, today=today), *plan.unmatched):
        note(f"warning: {line}")
    show(*verdict_lines(plan), *exemption_lines(plan.report))


def tell_opened(opened: Opened) -> None:
    """Where the state of a stack made just now is, as long as nobody chose that."""
    if opened.is_new and opened.backend.folder:
        note(f"state of {opened.name}: {shown(opened.backend.folder)}, ignored by git")
        note(f"for plain pulumi: export {opened.backend.prefix().strip()}")


def tell_report(report: Report, *, ahead: bool = False) -> None:
    """Warnings, then what changed or would change; a failure is raised after that.

    Raises:
        AtollError: the operation failed.
    """
    from operations.engine.messages import together  # noqa: PLC0415 - Pulumi is imported once needed

    for warning in together(report.warnings):
        note(f"warning: {warning}")
    if ahead and report.steps:
        show(steps_table(report.steps))
    if report.failure is None or not (ahead or report.is_empty):
        show(counts_line(report.title, report.changes, seconds=report.seconds, ahead=ahead))
    if report.failure is None:
        return
    reasons = together(report.complaints)
    for reason in reasons if len(reasons) > 1 else ():
        note(reason)
    raise report.failure
