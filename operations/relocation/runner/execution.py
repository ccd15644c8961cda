"""The machine: steps in their order, written down before and after, so that any kill is resumed or taken back.

How long writers may stand still, the window, is kept to the second while a step runs.
"""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from operations.project.journal import NAME, RecordKind, read_journal
from operations.relocation.runner.context import ROLL_BACK, RUN, LockedRun, lock_run
from operations.relocation.runner.state import FREEZE, RelocationState, StepState, derive_state, format_duration
from operations.relocation.runner.step import Evidence, RelocationStep, RunContext, StepError
from planning.relocation.steps import POINT_OF_NO_RETURN, STEPS
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from pathlib import Path

    from operations.relocation.config.endpoints import Places

AGAIN: Final = "deltas"
FACTS: Final = {each.name: each for each in STEPS}


WATCHED: Final = "observe"  # its own time is asked for beside the window


class WindowPassedError(BaseException):
    """The window ended during a step. As a BaseException it passes every `except Exception`."""


def deadline(places: Places, *, step: str, frozen_since: datetime) -> datetime:
    """End of the window; for the observation, with its own time added."""
    minutes = places.window_minutes + (places.observe_minutes if step == WATCHED else 0)
    return frozen_since + timedelta(minutes=minutes)


@contextmanager
def limit_time(moment: datetime | None, *, now: Callable[[], datetime]) -> Generator[None]:
    """Run until a moment at most; None for no limit.

    Raises:
        WindowPassedError: the moment has come.
    """
    if moment is None:
        yield
        return
    left = (moment - now()).total_seconds()
    if left <= 0:
        raise WindowPassedError
    # Python delivers signals to the main thread alone: elsewhere the moment is only looked at before and after.
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    earlier = signal.signal(signal.SIGALRM, _raise_window_passed)
    signal.setitimer(signal.ITIMER_REAL, left)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, earlier)


def _raise_window_passed(_number: int, _frame: object) -> None:
    raise WindowPassedError


class OnFailure(StrEnum):
    """What follows where a step fails during the write freeze."""

    STOP = "stop"
    ROLLBACK = "rollback"


def read_state(folder: Path) -> RelocationState:
    """State of the relocation in a folder; reads only, and it may be running.

    Raises:
        InputError: its journal is broken.
    """
    return derive_state(read_journal(folder / NAME).records)


def run(
    parts: RunContext, steps: Sequence[RelocationStep], *, until: str = "", on_failure: OnFailure = OnFailure.STOP
) -> RelocationState:
    """Run open steps in order, from where the journal ends; the state afterwards.

    Args:
        until: the last step to run; "" for all, commit among them.

    Raises:
        StepError: a step failed; everything after it is open, and the message says how to go on or back.
        InputError: another process runs it, the journal is broken, or a roll back was begun.
    """
    with lock_run(parts) as relocation:
        if relocation.stands.rolling_back:
            hint = f"finish it: {parts.command(ROLL_BACK)}"
            raise InputError("a roll back was begun and is not finished", hint=hint)
        for step in steps:
            if relocation.stands.of(step.name).state != StepState.DONE or _stale(relocation, step):
                _do(relocation, step, steps=steps, on_failure=on_failure)
            if step.name == until:
                break
        now = relocation.stands
        if now.of(POINT_OF_NO_RETURN).state == StepState.DONE and not now.committed:
            relocation.journal.append(RecordKind.COMMITTED)
        return relocation.stands


def _stale(relocation: LockedRun, step: RelocationStep) -> bool:
    """Whether a step that was done runs again."""
    # Done, but the source went on changing: each round makes the one inside the write freeze shorter.
    return step.name == AGAIN and relocation.stands.of(FREEZE).state == StepState.OPEN


def roll_back(parts: RunContext, steps: Sequence[RelocationStep]) -> RelocationState:
    """Undo what was done and begun, the last step first; the state afterwards.

    Raises:
        StepError: a step cannot be taken back; those before it are not touched, and it can be tried again.
        InputError: nothing was begun, or the point of no return was passed.
    """
    with lock_run(parts) as relocation:
        now = relocation.stands
        if now.past_return:
            raise InputError(
                f"{POINT_OF_NO_RETURN} was begun, the point of no return: the target may hold what the source does not",
                hint=f"the only way is forward: {parts.command(RUN)}",
            )
        if not now.begun:
            raise InputError("nothing was begun since the last roll back: there is nothing to take back")
        _take_back(relocation, steps)
        return relocation.stands


def _do(relocation: LockedRun, step: RelocationStep, *, steps: Sequence[RelocationStep], on_failure: OnFailure) -> None:
    """Run one step.

    Raises:
        StepError: it failed.
    """
    tries = relocation.stands.of(step.name).tries + 1
    relocation.parts.say(f"{FACTS[step.name].title} ({step.name}){'' if tries == 1 else f', time {tries}'}")
    started = relocation.parts.now()
    relocation.journal.append(RecordKind.BEGUN, step=step.name, content={"attempt": tries})
    try:
        with limit_time(_moment(relocation, step), now=relocation.parts.now):
            evidence = step.do(relocation.move)
    except WindowPassedError as over:
        fault = StepError(f"the window of {relocation.parts.places.window_minutes} min is over (window_minutes)")
        raise _record_failure(relocation, step, fault, steps=steps, on_failure=on_failure) from over
    except Exception as fault:
        raise _record_failure(relocation, step, fault, steps=steps, on_failure=on_failure) from fault
    took = (relocation.parts.now() - started).total_seconds()
    content = {"seconds": round(took, 3), "evidence": relocation.clean(evidence)}
    relocation.journal.append(RecordKind.DONE, step=step.name, content=content)


def _moment(relocation: LockedRun, step: RelocationStep) -> datetime | None:
    """When a step must be done; None outside the write freeze, and after the point of no return."""
    since = relocation.stands.frozen_since
    # A commit that was begun must come to its end, however long it takes.
    if since is None or step.name == POINT_OF_NO_RETURN or not FACTS[step.name].frozen:
        return None
    return deadline(relocation.parts.places, step=step.name, frozen_since=since)


def _record_failure(
    relocation: LockedRun,
    step: RelocationStep,
    fault: Exception,
    *,
    steps: Sequence[RelocationStep],
    on_failure: OnFailure,
) -> StepError:
    """Record a failure, roll back if requested, and say what can be done."""
    reason = relocation.reason(fault)
    evidence = relocation.clean(fault.evidence if isinstance(fault, StepError) else {})
    relocation.journal.append(RecordKind.FAILED, step=step.name, content={"reason": reason, "evidence": evidence})
    go_on, back = relocation.parts.command(RUN), relocation.parts.command(ROLL_BACK)
    still = relocation.stands.still_for(relocation.parts.now())
    if still is None or step.name == POINT_OF_NO_RETURN:
        return StepError(f"{step.name}: {reason}", hint=f"then go on: {go_on}", evidence=evidence)
    words = f"{step.name}: {reason}; the write freeze has lasted {format_duration(still)}"
    if on_failure is OnFailure.STOP:
        return StepError(words, hint=f"go on: {go_on}, or go back: {back}", evidence=evidence)
    relocation.parts.say(f"{words}; rolling back")
    _take_back(relocation, steps)
    return StepError(f"{step.name}: {reason}; rolled back, the source's writers run again", evidence=evidence)


def _take_back(relocation: LockedRun, steps: Sequence[RelocationStep]) -> None:
    """Undo what was begun, the last step first, and end the attempt.

    Raises:
        StepError: one cannot be undone.
    """
    for step in reversed(steps):
        if relocation.stands.of(step.name).state not in {StepState.OPEN, StepState.UNDONE}:
            _undo(relocation, step)
    relocation.journal.append(RecordKind.ROLLED_BACK, content={"attempt": relocation.stands.attempt})


def _undo(relocation: LockedRun, step: RelocationStep) -> None:
    """Take one step back.

    Raises:
        StepError: it cannot be.
    """
    evidence: Evidence = {"kept": FACTS[step.name].way_back}
    if step.undo is not None:
        relocation.parts.say(f"taking back: {FACTS[step.name].title} ({step.name})")
        relocation.journal.append(RecordKind.UNDOING, step=step.name)
        try:
            evidence = step.undo(relocation.move)
        except Exception as fault:
            reason = relocation.reason(fault)
            relocation.journal.append(RecordKind.FAILED, step=step.name, content={"reason": reason})
            hint = f"then try again: {relocation.parts.command(ROLL_BACK)}"
            raise StepError(f"{step.name} cannot be taken back: {reason}", hint=hint) from fault
    relocation.journal.append(RecordKind.UNDONE, step=step.name, content={"evidence": relocation.clean(evidence)})
