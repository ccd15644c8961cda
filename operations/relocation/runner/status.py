"""Where a relocation stands, for a person and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

from operations.relocation.runner.context import ROLL_BACK, RUN
from operations.relocation.runner.state import RelocationState, StepStanding, StepState, format_duration
from planning.relocation.steps import POINT_OF_NO_RETURN, STEPS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime


_CLOSED: Final = ConfigDict(extra="forbid")
BRIEF: Final = 72  # characters of evidence in a table


@with_config(_CLOSED)
class StepStatus(TypedDict):
    """One step."""

    name: str
    title: str
    state: str
    at: str | None
    tries: int
    reason: str
    brief: str
    evidence: dict[str, object]


@with_config(_CLOSED)
class StatusForm(TypedDict):
    """The whole of it.

    `state` is one of not_begun, running, stopped, rolling_back, rolled_back, committed.
    """

    source: str
    target: str
    attempt: int
    state: str
    running: str
    frozen_since: str | None
    frozen_seconds: int | None
    frozen: str
    can_go_back: bool
    why: str
    next: str
    steps: list[StepStatus]


def status_form(
    stands: RelocationState, *, source: str, target: str, running: str, now: datetime, name: str = ""
) -> StatusForm:
    """Status of a relocation.

    Args:
        name: of this relocation, where it has one of its own.
        running: who runs it now; "" if it is not running.
    """
    still = stands.still_for(now)
    frozen = "" if still is None else f"the write freeze of the source has lasted {format_duration(still)}"
    if stands.committed:
        frozen = "the source stays frozen, and is kept"
    return StatusForm(
        source=source,
        target=target,
        attempt=stands.attempt,
        state=_state(stands, running=running),
        running=running,
        frozen_since=stands.frozen_since.isoformat() if stands.frozen_since else None,
        frozen_seconds=int(still.total_seconds()) if still is not None and not stands.committed else None,
        frozen=frozen,
        can_go_back=stands.begun and not stands.past_return,
        why=_why(stands),
        next=_next(stands, running=running).format(source=source, target=target + _render_name_option(stands, name)),
        steps=[_step(each.name, each.title, stands.of(each.name)) for each in STEPS],
    )


def _render_name_option(stands: RelocationState, name: str) -> str:
    # `retire`, which follows the commit, looks at every relocation of the two stacks.
    return f" --name {name}" if name and not stands.committed else ""


def _state(stands: RelocationState, *, running: str) -> str:
    if stands.committed:
        return "committed"
    if running:
        return "running"
    if stands.rolling_back:
        return "rolling_back"
    if not stands.begun:
        return "rolled_back" if stands.attempt > 1 else "not_begun"
    return "stopped"


def _why(stands: RelocationState) -> str:
    """Whether a rollback is possible, and why not."""
    if stands.past_return:
        return f"there is no way back: {POINT_OF_NO_RETURN} was begun, the point of no return"
    if not stands.begun:
        return "there is nothing to take back"
    return f"until {POINT_OF_NO_RETURN} is begun everything can be taken back"


def _next(stands: RelocationState, *, running: str) -> str:
    if stands.committed:
        return "atoll relocate retire {source} {target}, once the source was kept long enough"
    if running:
        return "wait for it"
    if stands.rolling_back:
        return ROLL_BACK
    return f"{RUN}, or {ROLL_BACK}" if stands.begun and not stands.past_return else RUN


def _step(name: str, title: str, stands: StepStanding) -> StepStatus:
    return StepStatus(
        name=name,
        title=title,
        state=stands.state.value,
        at=stands.at.isoformat() if stands.at else None,
        tries=stands.tries,
        reason=stands.reason,
        brief=stands.reason if stands.state in {StepState.FAILED, StepState.UNDOING} else _brief(stands.evidence),
        evidence=dict(stands.evidence),
    )


def _brief(evidence: Mapping[str, object]) -> str:
    """Evidence in a few words: sentences and figures of the outermost level."""
    found = ", ".join(_words(name, each) for name, each in evidence.items())
    return found if len(found) <= BRIEF else f"{found[: BRIEF - 3]}..."


def _words(name: str, value: object) -> str:
    if isinstance(value, dict):
        inner = cast("dict[str, object]", value)
        return f"{name}: {inner.get('sentence') or len(inner)}"
    if isinstance(value, list):
        return f"{name}: {len(cast('list[object]', value))}"
    return f"{name}: {value}"
