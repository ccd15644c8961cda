"""The machine: steps in their order, written down before and after, so that any kill is resumed or taken back."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

from operations.project.journal import NAME, Kind, read
from operations.relocation.runner import freeze_window
from operations.relocation.runner.context import ROLL_BACK, RUN, Held, Parts, held
from operations.relocation.runner.state import FREEZE, Standing, State, standing
from operations.relocation.runner.step import StepError
from planning.relocation.steps import POINT_OF_NO_RETURN, STEPS
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

    from operations.relocation.runner.step import Evidence, Step

AGAIN: Final = "deltas"
FACTS: Final = {each.name: each for each in STEPS}


class OnFailure(StrEnum):
    """What follows where a step fails while writers stand still."""

    STOP = "stop"
    ROLLBACK = "rollback"


def stands(folder: Path) -> Standing:
    """Where the relocation in a folder stands; nothing is written, and it may be running.

    Raises:
        InputError: its journal is broken.
    """
    return standing(read(folder / NAME).records)


def run(parts: Parts, steps: Sequence[Step], *, until: str = "", on_failure: OnFailure = OnFailure.STOP) -> Standing:
    """Run what is open, in order, from where the journal ends; where it stands afterwards.

    Args:
        until: the last step to run; "" for all, commit among them.

    Raises:
        StepError: a step failed; everything after it is open, and the message says how to go on or back.
        InputError: another process runs it, the journal is broken, or a roll back was begun.
    """
    with held(parts) as relocation:
        if relocation.stands.rolling_back:
            hint = f"finish it: {parts.command(ROLL_BACK)}"
            raise InputError("a roll back was begun and is not finished", hint=hint)
        for step in steps:
            if relocation.stands.of(step.name).state != State.DONE or _stale(relocation, step):
                _do(relocation, step, steps=steps, on_failure=on_failure)
            if step.name == until:
                break
        now = relocation.stands
        if now.of(POINT_OF_NO_RETURN).state == State.DONE and not now.committed:
            relocation.journal.append(Kind.COMMITTED)
        return relocation.stands


def _stale(relocation: Held, step: Step) -> bool:
    """Whether a step is worth running again: what changed is copied until writers stand still, however long that is."""
    return step.name == AGAIN and relocation.stands.of(FREEZE).state == State.OPEN


def roll_back(parts: Parts, steps: Sequence[Step]) -> Standing:
    """Take back what was done and begun, the last step first; where it stands afterwards.

    Raises:
        StepError: a step cannot be taken back; those before it are not touched, and it can be tried again.
        InputError: nothing was begun, or the point of no return was passed.
    """
    with held(parts) as relocation:
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


def _do(relocation: Held, step: Step, *, steps: Sequence[Step], on_failure: OnFailure) -> None:
    """Run one step.

    Raises:
        StepError: it failed.
    """
    tries = relocation.stands.of(step.name).tries + 1
    relocation.parts.say(f"{FACTS[step.name].title} ({step.name}){'' if tries == 1 else f', time {tries}'}")
    started = relocation.parts.now()
    relocation.journal.append(Kind.BEGUN, step=step.name, content={"attempt": tries})
    try:
        with freeze_window.before(_moment(relocation, step), now=relocation.parts.now):
            evidence = step.do(relocation.move)
    except freeze_window.WindowPassedError as over:
        fault = StepError(f"the window of {relocation.parts.places.window_minutes} min is over (window_minutes)")
        raise _failed(relocation, step, fault, steps=steps, on_failure=on_failure) from over
    except Exception as fault:
        raise _failed(relocation, step, fault, steps=steps, on_failure=on_failure) from fault
    took = (relocation.parts.now() - started).total_seconds()
    content = {"seconds": round(took, 3), "evidence": relocation.clean(evidence)}
    relocation.journal.append(Kind.DONE, step=step.name, content=content)


def _moment(relocation: Held, step: Step) -> datetime | None:
    """When a step must be done; None where writers run, and once there is no way back."""
    since = relocation.stands.frozen_since
    if since is None or step.name == POINT_OF_NO_RETURN or not FACTS[step.name].frozen:
        return None
    return freeze_window.deadline(relocation.parts.places, step=step.name, frozen_since=since)


def _failed(
    relocation: Held, step: Step, fault: Exception, *, steps: Sequence[Step], on_failure: OnFailure
) -> StepError:
    """Write a failure down, roll back where that was asked for, and say what can be done."""
    reason = relocation.reason(fault)
    evidence = relocation.clean(fault.evidence if isinstance(fault, StepError) else {})
    relocation.journal.append(Kind.FAILED, step=step.name, content={"reason": reason, "evidence": evidence})
    go_on, back = relocation.parts.command(RUN), relocation.parts.command(ROLL_BACK)
    still = relocation.stands.still_for(relocation.parts.now())
    if still is None or step.name == POINT_OF_NO_RETURN:
        return StepError(f"{step.name}: {reason}", hint=f"then go on: {go_on}", evidence=evidence)
    words = f"{step.name}: {reason}; writers stand still for {freeze_window.in_words(still)}"
    if on_failure is OnFailure.STOP:
        return StepError(words, hint=f"go on: {go_on}, or go back: {back}", evidence=evidence)
    relocation.parts.say(f"{words}; rolling back")
    _take_back(relocation, steps)
    return StepError(f"{step.name}: {reason}; rolled back, the source's writers run again", evidence=evidence)


def _take_back(relocation: Held, steps: Sequence[Step]) -> None:
    """Undo what was begun, the last first, and end the attempt.

    Raises:
        StepError: one cannot be undone.
    """
    for step in reversed(steps):
        if relocation.stands.of(step.name).state not in {State.OPEN, State.UNDONE}:
            _undo(relocation, step)
    relocation.journal.append(Kind.ROLLED_BACK, content={"attempt": relocation.stands.attempt})


def _undo(relocation: Held, step: Step) -> None:
    """Take one step back.

    Raises:
        StepError: it cannot be.
    """
    evidence: Evidence = {"kept": FACTS[step.name].way_back}
    if step.undo is not None:
        relocation.parts.say(f"taking back: {FACTS[step.name].title} ({step.name})")
        relocation.journal.append(Kind.UNDOING, step=step.name)
        try:
            evidence = step.undo(relocation.move)
        except Exception as fault:
            reason = relocation.reason(fault)
            relocation.journal.append(Kind.FAILED, step=step.name, content={"reason": reason})
            hint = f"then try again: {relocation.parts.command(ROLL_BACK)}"
            raise StepError(f"{step.name} cannot be taken back: {reason}", hint=hint) from fault
    relocation.journal.append(Kind.UNDONE, step=step.name, content={"evidence": relocation.clean(evidence)})
