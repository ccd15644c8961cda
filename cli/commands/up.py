"""`atoll up`: build what was accepted, after the verdict on what it costs."""

from cli.commands import engine_options
from cli.terminal import options as arguments
from cli.terminal.console import note, progress
from cli.terminal.prompts import ask_passphrase, confirm
from operations.project.workspace import known_stack


def run_up(
    stack: arguments.Stack,
    *,
    yes: engine_options.Yes = False,
    accept_unknown: engine_options.AcceptUnknown = False,
    secrets_provider: engine_options.SecretsProvider = "",
    prices: arguments.Book = arguments.CURRENT_BOOK,
    own: arguments.OwnBook = "",
    today: arguments.Today = "",
) -> int:
    """Create or update the cluster.

    Over the ceiling nothing is touched (exit code 10), and where nobody can tell (11) only with --accept-unknown.
    """
    from cli.views import engine_report  # noqa: PLC0415 - Pulumi is imported once needed
    from cli.views.engine import terminal_progress  # noqa: PLC0415 - as above
    from operations.engine import operation, session  # noqa: PLC0415 - as above
    from operations.plans import verdict  # noqa: PLC0415 - as above

    project = known_stack(stack)
    with progress(f"judging {stack}"):
        plan = verdict.judged(project, stack, prices=prices, own=own, today=arguments.day(today))
    engine_report.tell_plan(project, plan, today=arguments.day(today))
    verdict.refuse(plan, accept_unknown=accept_unknown)
    opened = session.opened(project, stack, create=True, asked_provider=secrets_provider, ask_passphrase=ask_passphrase)
    engine_report.tell_opened(opened)
    total, following = verdict.expected_steps(plan), terminal_progress()
    if not yes:
        ahead = operation.preview(opened, total=total, progress=following)
        engine_report.tell_report(ahead, ahead=True)
        if ahead.is_empty:
            return 0
        confirm(f"Build {stack} so?", yes=False)
    engine_report.tell_report(operation.up(opened, total=total, progress=following))
    note(f"atoll outputs {stack} shows how to reach it")
    return 0
