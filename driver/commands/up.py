"""`atoll up`: build what was accepted, after the verdict on what it costs."""

from driver import arguments
from driver.engine import options
from driver.project import known_stack
from driver.prompt import ask_passphrase, confirm
from driver.screen import note, progress


def run_up(
    stack: arguments.Stack,
    *,
    yes: options.Yes = False,
    accept_unknown: options.AcceptUnknown = False,
    secrets_provider: options.SecretsProvider = "",
    prices: arguments.Book = arguments.CURRENT_BOOK,
    own: arguments.OwnBook = "",
    today: arguments.Today = "",
) -> int:
    """Create or update the cluster.

    Over the ceiling nothing is touched (exit code 10), and where nobody can tell (11) only with --accept-unknown.
    """
    from driver.engine import operation, session, telling, verdict  # noqa: PLC0415 - Pulumi is imported once needed
    from driver.render.engine import terminal_progress  # noqa: PLC0415 - as above

    project = known_stack(stack)
    with progress(f"judging {stack}"):
        plan = verdict.judged(project, stack, prices=prices, own=own, today=arguments.day(today))
    telling.tell_plan(project, plan, today=arguments.day(today))
    verdict.refuse(plan, accept_unknown=accept_unknown)
    opened = session.opened(project, stack, create=True, asked_provider=secrets_provider, ask_passphrase=ask_passphrase)
    telling.tell_opened(opened)
    total, following = verdict.expected_steps(plan), terminal_progress()
    if not yes:
        ahead = operation.preview(opened, total=total, progress=following)
        telling.tell_report(ahead, ahead=True)
        if ahead.is_empty:
            return 0
        confirm(f"Build {stack} so?", yes=False)
    telling.tell_report(operation.up(opened, total=total, progress=following))
    note(f"atoll outputs {stack} shows how to reach it")
    return 0
