"""`atoll destroy`: delete a cluster in the right order, keep what is protected, and say what was kept."""

from typing import TYPE_CHECKING

from cli.commands import engine_options
from cli.terminal import options as arguments
from cli.terminal.console import note, show
from cli.terminal.prompts import ask_passphrase, confirm_by_name
from operations.project.workspace import known_stack

if TYPE_CHECKING:
    from operations.engine.session import Opened
    from operations.engine.state import State


def run_destroy(stack: arguments.Stack, *, yes: engine_options.Yes = False) -> int:
    """Delete everything that is not protected.

    A cluster with deletion protection of its own loses that first, by an update of the cluster alone.
    """
    from cli.views import engine_report  # noqa: PLC0415 - Pulumi is imported once needed
    from cli.views.engine import terminal_progress  # noqa: PLC0415 - as above
    from operations.engine import session, teardown  # noqa: PLC0415 - as above
    from operations.engine.state import read_state  # noqa: PLC0415 - as above

    opened = session.opened(known_stack(stack), stack, ask_passphrase=ask_passphrase)
    before = read_state(opened)
    if not before.has_work:
        show(f"{stack} holds nothing that a destroy deletes")
        _tell_kept(opened, before, was=before)
        return 0
    _tell_ahead(stack, before)
    confirm_by_name(f"Delete {stack}?", name=stack, yes=yes)
    following = terminal_progress()
    if before.guarded:
        engine_report.tell_report(teardown.lift_guard(opened, before, progress=following))
    engine_report.tell_report(teardown.destroy(opened, before, progress=following))
    _tell_kept(opened, read_state(opened), was=before)
    return 0


def _tell_ahead(stack: str, state: "State") -> None:
    """What is going to happen, in its steps."""
    kept = len(state.protected) + len(state.forgotten)
    show(f"{stack}: {len(state.going)} resources are deleted, {kept} are kept")
    if state.guarded:
        names = ", ".join(each.name for each in state.guarded)
        show(
            f"step 1: {names} is protected against deletion by its cloud; an update with atoll:allowDestroy lifts that",
            "step 2: everything that is not protected is deleted, what depends on others first",
        )


def _tell_kept(opened: "Opened", after: "State", *, was: "State") -> None:
    """What is still there, and how to find what else costs money."""
    from cli.views.engine import kept_table  # noqa: PLC0415 - as above
    from operations.engine.state import left_behind  # noqa: PLC0415 - Pulumi is imported once needed

    kept = list(left_behind(was=was, after=after))
    if kept:
        show("Kept, and billed where it costs something:", kept_table(kept))
    if after.protected:
        prefix = opened.backend.prefix()
        note(
            f"to let go of protected data: {prefix}pulumi state unprotect --all --stack {opened.name}, "
            "then destroy again; the engine forgets it, and you delete it in the cloud by hand"
        )
    note(f"atoll leftovers {opened.name} asks the cloud what is still there and costs money")
