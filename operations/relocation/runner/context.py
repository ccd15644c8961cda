"""What a relocation is run with, and the relocation itself under the writer's lock."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from operations.project.journal import NAME, Journal
from operations.project.journal_records import Kind
from operations.project.lease import only_writer
from operations.relocation.runner.memory import JournalMemory
from operations.relocation.runner.redaction import fields_without, kept_secret
from operations.relocation.runner.state import Standing, standing
from operations.relocation.runner.step import Move
from planning.values.errors import AtollError, InputError, in_one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping
    from datetime import datetime
    from pathlib import Path

    from operations.relocation.config.endpoints import Places

FOLDER_MODE: Final = 0o700
RUN: Final = "atoll relocate run {source} {target}"
ROLL_BACK: Final = "atoll relocate rollback {source} {target}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a relocation is run with; see `Move` for each."""

    places: Places
    folder: Path
    secrets: Mapping[str, str]
    say: Callable[[str], None]
    now: Callable[[], datetime]

    def command(self, form: str) -> str:
        """A command for these two stacks, and for this relocation where it has a name of its own."""
        source, target = self.places.source.stack, self.places.target.stack
        name = self.folder.name.removeprefix(f"{source}--{target}").removeprefix("-")
        return form.format(source=source, target=f"{target} --name {name}" if name else target)


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A relocation that nobody else writes.

    Args:
        hidden: what must never be written down.
    """

    parts: Parts
    journal: Journal
    move: Move
    hidden: tuple[str, ...]

    @property
    def stands(self) -> Standing:
        """Where it stands now."""
        return standing(self.journal.records)

    def clean(self, evidence: Mapping[str, object]) -> dict[str, object]:
        """Evidence without a secret, also where a step was careless."""
        return fields_without(evidence, self.hidden)

    def reason(self, fault: Exception) -> str:
        """Why a step failed, in one line without a secret."""
        words = in_one_line(fault) if isinstance(fault, AtollError) else f"{type(fault).__name__}: {fault}"
        return str(self.clean({"reason": words})["reason"])


@contextmanager
def held(parts: Parts) -> Generator[Held]:
    """The relocation, once nobody else writes it and its journal is whole.

    Raises:
        InputError: another process runs it, or the journal is broken or of other stacks.
    """
    parts.folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    parts.folder.chmod(FOLDER_MODE)
    with only_writer(parts.folder, at=parts.now()):
        journal = Journal(parts.folder / NAME, now=parts.now)
        try:
            if journal.torn:
                parts.say("the journal's last line was never finished: dropped, its step runs again")
            _hold_stacks(parts, journal)
            yield _with_memory(parts, journal)
        finally:
            journal.close()


def _hold_stacks(parts: Parts, journal: Journal) -> None:
    source, target = parts.places.source.stack, parts.places.target.stack
    if not journal.records:
        journal.append(Kind.OPENED, content={"source": source, "target": target})
    first = journal.records[0].content
    if (first.get("source"), first.get("target")) != (source, target):
        message = f"{journal.path} is of {first.get('source')} and {first.get('target')}, not of {source} and {target}"
        raise InputError(message, hint="each pair of stacks has a folder of its own")


def _with_memory(parts: Parts, journal: Journal) -> Held:
    hidden = kept_secret(parts.places, parts.secrets)
    move = Move(
        places=parts.places,
        folder=parts.folder,
        secrets=parts.secrets,
        memory=JournalMemory(journal, secrets=hidden),
        say=parts.say,
        now=parts.now,
    )
    return Held(parts=parts, journal=journal, move=move, hidden=hidden)
