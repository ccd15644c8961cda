"""The log of incidents: lines of a journal, each chained to the one before, so that an edited line is found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast, final

from operations.project.journal import Journal, RecordKind, read_journal
from planning.incidents.incident import STEPS, Event, incidents
from planning.values.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from datetime import datetime
    from pathlib import Path

    from operations.project.journal import JournalRecord
    from planning.incidents.incident import Happening, Incident

NAME: Final = "incidents.jsonl"
FOLDER: Final = "incidents"  # of the tickets and of the writer's lock, beside the log
KINDS: Final[Mapping[Happening, RecordKind]] = {
    "opened": RecordKind.OPENED,
    "done": RecordKind.DONE,
    "failed": RecordKind.FAILED,
    "closed": RecordKind.COMMITTED,
}
TEXTS: Final = ("incident", "node", "uid", "placement", "pool", "machine_id", "action", "words", "spare")
_HAPPENINGS: Final[Mapping[RecordKind, Happening]] = {kind: happening for happening, kind in KINDS.items()}


def log_path(stack_folder: Path) -> Path:
    """Where the log of a stack lies."""
    return stack_folder / NAME


def read_incidents(stack_folder: Path) -> tuple[Incident, ...]:
    """Every incident of a stack's log; none where there is no log.

    Raises:
        InputError: a line was edited, taken out or cut off, or says what no event says.
    """
    path = log_path(stack_folder)
    return incidents(_events(read_journal(path).records, path))


@final
class IncidentLog:
    """The log of a stack, being written. Only who holds the writer's lock may open one."""

    def __init__(self, stack_folder: Path, *, now: Callable[[], datetime]) -> None:
        """Open it.

        Raises:
            InputError: it was edited.
        """
        self._path = log_path(stack_folder)
        self._journal = Journal(self._path, now=now)
        self.now = now

    @property
    def incidents(self) -> tuple[Incident, ...]:
        """Every incident so far."""
        return incidents(_events(self._journal.records, self._path))

    def write(self, event: Event) -> Incident:
        """Write an event down, on disk when this returns; its incident after it."""
        content: dict[str, object] = {name: getattr(event, name) for name in TEXTS}
        content["xids"] = list(event.xids)
        said = {name: value for name, value in content.items() if value not in ("", [])}
        self._journal.append(KINDS[event.happening], step=event.step, content=said)
        return next(each for each in self.incidents if each.id == event.incident)

    def close(self) -> None:
        self._journal.close()


def _events(records: Iterable[JournalRecord], path: Path) -> Iterator[Event]:
    """The events among the records.

    Raises:
        InputError: a record of ours says something that no event says.
    """
    for record in records:
        if record.kind in _HAPPENINGS:
            try:
                yield _event(record)
            except ValueError as error:
                fault = Fault(message=str(error), file=str(path), line=record.seq, hint="put back the log as it was")
                raise InputError(f"{path}: the log of incidents cannot be trusted", faults=(fault,)) from error


def _event(record: JournalRecord) -> Event:
    """What a record says.

    Raises:
        ValueError: a field of another kind, or a step that is none.
    """
    happening, texts = _HAPPENINGS[record.kind], dict[str, str]()
    for name in TEXTS:
        value = record.content.get(name, "")
        if not isinstance(value, str):
            raise ValueError(f"{name} is no text")  # noqa: TRY004 - what a file says, not what a caller passes
        texts[name] = value
    named = record.content.get("xids", [])
    xids = cast("list[object]", named) if isinstance(named, list) else [named]
    numbers = tuple(each for each in xids if isinstance(each, int) and not isinstance(each, bool))
    if len(numbers) < len(xids):
        raise ValueError("xids is no list of whole numbers")
    if happening == "done" and record.step not in STEPS:
        raise ValueError(f"{record.step[:40]!r} is no step of an incident")
    return Event(at=record.at, happening=happening, step=record.step, xids=numbers, **texts)
