"""The log of incidents: lines of a journal, each chained to the one before, so that an edited line is found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast, final

from driver.relocate.journal import Journal, read
from driver.relocate.records import Kind
from planning.incidents.record import Event, incidents

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime
    from pathlib import Path

    from driver.relocate.records import Record
    from planning.incidents.record import Happening, Incident

NAME: Final = "incidents.jsonl"
FOLDER: Final = "incidents"  # of the tickets and of the writer's lock, beside the log
KINDS: Final[Mapping[Happening, Kind]] = {
    "opened": Kind.OPENED,
    "done": Kind.DONE,
    "failed": Kind.FAILED,
    "closed": Kind.COMMITTED,
}
_HAPPENINGS: Final[Mapping[Kind, Happening]] = {kind: happening for happening, kind in KINDS.items()}


def log_path(stack_folder: Path) -> Path:
    """Where the log of a stack lies."""
    return stack_folder / NAME


def logged(stack_folder: Path) -> tuple[Incident, ...]:
    """Every incident of a stack's log; none where there is no log.

    Raises:
        InputError: a line was edited, taken out or cut off.
    """
    return incidents(_event(each) for each in read(log_path(stack_folder)).records if each.kind in _HAPPENINGS)


@final
class IncidentLog:
    """The log of a stack, being written. Only who holds the writer's lock may open one."""

    def __init__(self, stack_folder: Path, *, now: Callable[[], datetime]) -> None:
        """Open it.

        Raises:
            InputError: it was edited.
        """
        self._journal = Journal(log_path(stack_folder), now=now)
        self.now = now

    @property
    def incidents(self) -> tuple[Incident, ...]:
        """Every incident so far."""
        return incidents(_event(each) for each in self._journal.records if each.kind in _HAPPENINGS)

    def write(self, event: Event) -> Incident:
        """Write an event down, on disk when this returns; its incident after it."""
        content = {
            "incident": event.incident,
            "node": event.node,
            "uid": event.uid,
            "placement": event.placement,
            "pool": event.pool,
            "machine_id": event.machine_id,
            "action": event.action,
            "words": event.words,
            "spare": event.spare,
            "xids": list(event.xids),
        }
        said = {name: value for name, value in content.items() if value not in ("", [])}
        self._journal.append(KINDS[event.happening], step=event.step, content=said)
        return next(each for each in self.incidents if each.id == event.incident)

    def close(self) -> None:
        """Close the file."""
        self._journal.close()


def _event(record: Record) -> Event:
    def text(name: str) -> str:
        value = record.content.get(name, "")
        return value if isinstance(value, str) else ""

    named = record.content.get("xids", [])
    xids = cast("list[object]", named) if isinstance(named, list) else []
    return Event(
        at=record.at,
        incident=text("incident"),
        happening=_HAPPENINGS[record.kind],
        step=record.step,
        node=text("node"),
        uid=text("uid"),
        placement=text("placement"),
        pool=text("pool"),
        machine_id=text("machine_id"),
        action=text("action"),
        words=text("words"),
        spare=text("spare"),
        xids=tuple(each for each in xids if isinstance(each, int)),
    )
