"""What a step of a relocation is given and gives back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from planning.values.errors import AtollError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime
    from pathlib import Path

    from operations.relocation.config.endpoints import Places

Evidence = dict[str, object]  # JSON: figures, names, paths of reports; never a secret


class StepError(AtollError):
    """A step refused or failed: nothing after it runs, and its evidence stays in the journal.

    Args:
        evidence: what was found, beside the message.
    """

    def __init__(self, message: str, *, hint: str = "", evidence: Evidence | None = None) -> None:
        super().__init__(message, hint=hint)
        self.evidence: Evidence = evidence or {}


class Memory(Protocol):
    """Values that a step needs again after it was killed; written to disk before it acts."""

    def remember(self, key: str, value: object) -> object:
        """Record a value, unless the key has one since the last rollback; the recorded value.

        Before a writer is stopped, how it was is remembered: a step that runs again would find it stopped.
        """
        ...

    def recall(self, key: str) -> object | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RunContext:
    """Inputs of a run.

    Args:
        folder: of this relocation: manifests, reports, dumps; only its owner may read it.
        secrets: values of the environment variables that the places name.
        say: one line of progress for the person who waits.
        now: the clock, in UTC.
    """

    places: Places
    folder: Path
    secrets: Mapping[str, str]
    say: Callable[[str], None]
    now: Callable[[], datetime]

    def command(self, form: str) -> str:
        """A command for these stacks, with the relocation's name if it has one."""
        source, target = self.places.source.stack, self.places.target.stack
        name = self.folder.name.removeprefix(f"{source}--{target}").removeprefix("-")
        return form.format(source=source, target=f"{target} --name {name}" if name else target)


@dataclass(frozen=True, slots=True, kw_only=True)
class Move(RunContext):
    """One relocation, as a step sees it."""

    memory: Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class RelocationStep:
    """A step; killed at any moment and run again, it ends the same.

    Args:
        name: word of `planning.relocation.steps`.
        do: what it does; raises StepError where it must not go on.
        undo: takes it back; None where nothing is to be taken back. Runs again after a kill, like `do`.
    """

    name: str
    do: Callable[[Move], Evidence]
    undo: Callable[[Move], Evidence] | None = None
