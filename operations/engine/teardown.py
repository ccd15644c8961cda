"""Taking a cluster down: first its cloud's own deletion protection, then everything that is not protected."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pulumi.automation import CommandError, ConfigValue

from operations.engine import operation
from operations.engine.messages import failed
from operations.engine.stack_warnings import ALLOW_DESTROY
from operations.engine.state import read_state
from planning.values.errors import AtollError

if TYPE_CHECKING:
    from operations.engine.operation import Report
    from operations.engine.progress import Progress
    from operations.engine.session import Opened
    from operations.engine.state import State


def lift_guard(opened: Opened, state: State, *, progress: Progress) -> Report:
    """Update only the clusters that their cloud protects, so that they can be deleted.

    Raises:
        AtollError: the setting cannot be written, or a cluster is protected still.
    """
    _set(opened, allow=True)
    report = operation.up(
        opened,
        total=len(state.held) + 1,
        progress=progress,
        target=[each.urn for each in state.guarded],
        title="lift protection",
    )
    if report.failure:
        progress.say(f"{ALLOW_DESTROY} stays true for {opened.name} until a destroy goes through")
        return report
    still = read_state(opened).guarded
    if still:
        names = ", ".join(each.name for each in still)
        raise AtollError(
            f"{names} is still protected against deletion; nothing was deleted",
            hint=f"{ALLOW_DESTROY} did not reach it",
        )
    return report


def destroy(opened: Opened, state: State, *, progress: Progress) -> Report:
    """Delete what is not protected; the next cluster of this stack is guarded again."""
    report = operation.destroy(opened, total=len(state.held) + 1, progress=progress)
    if report.failure is None:
        _set(opened, allow=False)
        return report
    hint = f"what went is gone, the rest is in the state: atoll destroy {opened.name} goes on"
    failure = report.failure
    if not failure.hint:
        failure = AtollError(str(failure), hint=hint)
    return replace(report, failure=failure)


def _set(opened: Opened, *, allow: bool) -> None:
    """Write or remove the setting in the stack's own file."""
    try:
        if allow:
            opened.stack.set_config(ALLOW_DESTROY, ConfigValue("true"))
        elif ALLOW_DESTROY in opened.ask_json("config", "--json"):
            opened.stack.remove_config(ALLOW_DESTROY)
    except CommandError as error:
        raise failed("configuring", opened.name, error=error, found=()) from error
