"""`atoll preview`: what the engine would change, after the verdict on what it costs."""

from typing import Annotated

import typer

from cli.commands import engine_options
from cli.terminal import options as arguments
from cli.terminal.console import progress
from cli.terminal.prompts import ask_passphrase
from operations.project.workspace import known_stack
from planning.values.errors import AtollError


def run_preview(
    stack: arguments.Stack,
    *,
    accept_unknown: engine_options.AcceptUnknown = False,
    expect_no_changes: Annotated[
        bool, typer.Option("--expect-no-changes", help="Fail where anything would change.")
    ] = False,
    secrets_provider: engine_options.SecretsProvider = "",
    prices: arguments.Book = arguments.CURRENT_BOOK,
    own: arguments.OwnBook = "",
    today: arguments.Today = "",
) -> int:
    """Show what the engine would change.

    Exit code: 0 within the ceiling, 10 over it, 11 where nobody can tell, 1 where the engine fails.
    """
    from cli.views import engine_report  # noqa: PLC0415 - Pulumi is imported once needed
    from cli.views.engine import terminal_progress  # noqa: PLC0415 - as above
    from operations.engine import operation, session  # noqa: PLC0415 - as above
    from operations.plans import verdict  # noqa: PLC0415 - as above

    project = known_stack(stack)
    with progress(f"judging {stack}"):
        plan = verdict.judged(project, stack, prices=prices, own=own, today=arguments.day(today))
    engine_report.tell_plan(project, plan, today=arguments.day(today))
    opened = session.opened(project, stack, create=True, asked_provider=secrets_provider, ask_passphrase=ask_passphrase)
    engine_report.tell_opened(opened)
    report = operation.preview(opened, total=verdict.expected_steps(plan), progress=terminal_progress())
    engine_report.tell_report(report, ahead=True)
    verdict.refuse(plan, accept_unknown=accept_unknown)
    if expect_no_changes and not report.is_empty:
        raise AtollError(f"{stack} differs from what was built", hint=f"atoll up {stack} builds it as accepted")
    return 0
