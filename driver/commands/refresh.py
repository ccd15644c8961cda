"""`atoll refresh`: look at what is live, and write it into the state."""

from driver import arguments
from driver.engine import options
from driver.project import known_stack
from driver.prompt import ask_passphrase, confirm
from driver.screen import note


def run_refresh(stack: arguments.Stack, *, yes: options.Yes = False) -> int:
    """Take what is live into the state; nothing in the cloud is changed.

    What is live and differs from the state is shown first: a wrong kubeconfig or account makes everything look gone.
    """
    from driver.engine import operation, session, telling  # noqa: PLC0415 - Pulumi is imported once needed
    from driver.engine.state import read_state  # noqa: PLC0415 - as above
    from driver.render.engine import terminal_progress  # noqa: PLC0415 - as above

    opened = session.opened(known_stack(stack), stack, ask_passphrase=ask_passphrase)
    total, following = len(read_state(opened).held) + 1, terminal_progress()
    if not yes:
        ahead = operation.preview_refresh(opened, total=total, progress=following)
        telling.tell_report(ahead, ahead=True)
        if ahead.is_empty:
            return 0
        confirm(f"Write this into the state of {stack}?", yes=False)
    report = operation.refresh(opened, total=total, progress=following)
    telling.tell_report(report)
    if not report.is_empty:
        note(f"atoll preview {stack} shows what an update would change back")
    return 0
