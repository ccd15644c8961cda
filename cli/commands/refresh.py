"""`atoll refresh`: look at what is live, and write it into the state."""

from cli.commands import engine_options
from cli.terminal import options as arguments
from cli.terminal.console import note
from cli.terminal.prompts import ask_passphrase, confirm
from operations.project.workspace import known_stack


def run_refresh(stack: arguments.Stack, *, yes: engine_options.Yes = False) -> int:
    """Take what is live into the state; nothing in the cloud is changed.

    What is live and differs from the state is shown first: a wrong kubeconfig or account makes everything look gone.
    """
    from cli.views import engine_report  # noqa: PLC0415 - Pulumi is imported once needed
    from cli.views.engine import terminal_progress  # noqa: PLC0415 - as above
    from operations.engine import operation, session  # noqa: PLC0415 - as above
    from operations.engine.state import read_state  # noqa: PLC0415 - as above

    opened = session.opened(known_stack(stack), stack, ask_passphrase=ask_passphrase)
    total, following = len(read_state(opened).held) + 1, terminal_progress()
    if not yes:
        ahead = operation.preview_refresh(opened, total=total, progress=following)
        engine_report.tell_report(ahead, ahead=True)
        if ahead.is_empty:
            return 0
        confirm(f"Write this into the state of {stack}?", yes=False)
    report = operation.refresh(opened, total=total, progress=following)
    engine_report.tell_report(report)
    if not report.is_empty:
        note(f"atoll preview {stack} shows what an update would change back")
    return 0
