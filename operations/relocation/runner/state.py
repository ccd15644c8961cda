"""Where a relocation stands, from its journal: a pure fold of the records."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from operations.project.journal import JournalRecord, RecordKind
from planning.relocation.steps import POINT_OF_NO_RETURN

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime, timedelta


FREEZE: Final = "freeze"


class StepState(StrEnum):
    OPEN = "open"
    BEGUN = "begun"
    DONE = "done"
    FAILED = "failed"
    UNDOING = "undoing"
    UNDONE = "undone"


STATES: Final = {
    RecordKind.BEGUN: StepState.BEGUN,
    RecordKind.DONE: StepState.DONE,
    RecordKind.UNDOING: StepState.UNDOING,
    RecordKind.UNDONE: StepState.UNDONE,
}


@dataclass(slots=True, kw_only=True)
class StepStanding:
    """State of one step in this attempt.

    Args:
        tries: how often it was begun.
        reason: why it failed last; "" where it has not.
    """

    state: StepState = StepState.OPEN
    tries: int = 0
    at: datetime | None = None
    reason: str = ""
    evidence: Mapping[str, object] = field(default_factory=dict[str, object])


@dataclass(slots=True, kw_only=True)
class RelocationState:
    """State of a relocation.

    Args:
        attempt: counts from 1; each roll back ends one.
        remembered: since the last roll back.
        frozen_since: since when writers of the source stand still; None while they run.
    """

    attempt: int = 1
    opened: bool = False
    committed: bool = False
    steps: dict[str, StepStanding] = field(default_factory=dict[str, StepStanding])
    remembered: dict[str, object] = field(default_factory=dict[str, object])
    frozen_since: datetime | None = None

    def of(self, step: str) -> StepStanding:
        return self.steps.get(step, StepStanding())

    @property
    def rolling_back(self) -> bool:
        return any(each.state in {StepState.UNDOING, StepState.UNDONE} for each in self.steps.values())

    @property
    def past_return(self) -> bool:
        """Whether the point of no return was passed: no rollback is possible."""
        return self.of(POINT_OF_NO_RETURN).state != StepState.OPEN

    @property
    def begun(self) -> bool:
        return bool(self.steps)

    def still_for(self, now: datetime) -> timedelta | None:
        """Duration of the write freeze; None outside it."""
        return None if self.frozen_since is None else now - self.frozen_since


def derive_state(records: Sequence[JournalRecord]) -> RelocationState:
    found = RelocationState(opened=bool(records))
    for record in records:
        found = _after(found, record)
    return found


def _after(found: RelocationState, record: JournalRecord) -> RelocationState:
    if record.kind == RecordKind.ROLLED_BACK:
        return RelocationState(attempt=found.attempt + 1, opened=True)
    if record.kind == RecordKind.COMMITTED:
        found.committed = True
    elif record.kind == RecordKind.REMEMBERED:
        found.remembered.setdefault(str(record.content["key"]), record.content["value"])
    elif record.step:
        _of_step(found, record)
    return found


def _of_step(found: RelocationState, record: JournalRecord) -> None:
    step = found.steps.setdefault(record.step, StepStanding())
    step.at = record.at
    if record.kind == RecordKind.FAILED:
        step.reason = str(record.content.get("reason", ""))
        step.state = step.state if step.state == StepState.UNDOING else StepState.FAILED
    else:
        step.state = STATES[record.kind]
    if record.kind == RecordKind.BEGUN:
        step.tries += 1
        if record.step == FREEZE and found.frozen_since is None:
            found.frozen_since = record.at
    if record.kind == RecordKind.DONE:
        step.reason = ""
    if record.kind == RecordKind.UNDONE and record.step == FREEZE:
        found.frozen_since = None
    if "evidence" in record.content:
        evidence = record.content["evidence"]
        step.evidence = evidence if isinstance(evidence, dict) else {}


def format_duration(still: timedelta) -> str:
    """As in "42 s", "7 min", "2 h 5 min"."""
    seconds = max(int(still.total_seconds()), 0)
    if seconds < 60:  # noqa: PLR2004 - seconds of a minute
        return f"{seconds} s"
    hours, minutes = divmod(seconds // 60, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
