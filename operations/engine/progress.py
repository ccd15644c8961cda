"""What the engine reports while it works: how far it is, what it changed, what it complained about."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from operations.engine.messages import Diagnostic, diagnostic

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    from pulumi.automation import EngineEvent
    from pulumi.automation.events import DiagnosticEvent, StepEventMetadata

UNCHANGED: Final = frozenset({"same", "read", "refresh"})
MEANINGS: Final[Mapping[str, str]] = {
    "create-replacement": "replace",
    "delete-replaced": "replace",
    "discard-replaced": "replace",
    "import-replacement": "replace",
    "read-replacement": "replace",
    "discard": "delete",
    "remove-pending-replace": "replace",
}
ROOT_TYPE: Final = "pulumi:pulumi:Stack"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What the engine does to one resource.

    Args:
        action: create, update, delete, replace, same, ...
        properties: names of what differs, never a value: values may be secrets.
    """

    action: str
    type: str
    name: str
    properties: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Progress:
    """Whom an operation tells how it goes.

    Args:
        follow: opened under a title while the operation works; takes a line on how far it is.
        say: takes a remark that has to be read.
    """

    follow: Callable[[str], AbstractContextManager[Callable[[str], None]]]
    say: Callable[[str], None]


@dataclass(slots=True)
class Watch:
    """Takes every event of one operation, in any thread of the SDK's, one at a time.

    Args:
        total: resources it will probably touch; 0 where nobody knows.
    """

    total: int = 0
    steps: dict[str, Step] = field(default_factory=dict[str, Step])
    done: set[str] = field(default_factory=set[str])
    running: dict[str, str] = field(default_factory=dict[str, str])
    errors: list[Diagnostic] = field(default_factory=list[Diagnostic])
    warnings: list[Diagnostic] = field(default_factory=list[Diagnostic])
    summary: dict[str, int] = field(default_factory=dict[str, int])

    def take(self, event: EngineEvent) -> None:
        """Take one event."""
        if event.resource_pre_event:
            self._begun(event.resource_pre_event.metadata)
        elif event.res_outputs_event:
            self._ended(event.res_outputs_event.metadata)
        elif event.res_op_failed_event:
            self.running.pop(event.res_op_failed_event.metadata.urn, None)
        elif event.diagnostic_event:
            self._complained(event.diagnostic_event)
        elif event.summary_event:
            counts = event.summary_event.resource_changes
            self.summary = {action_of(op): count for op, count in counts.items()}

    def changes(self) -> Mapping[str, int]:
        """Resources by action: as the engine counts them, else as it reported them before it stopped."""
        if self.summary:
            return dict(self.summary)
        return Counter(step.action for urn, step in self.steps.items() if urn in self.done)

    def differing(self) -> tuple[Step, ...]:
        """Every step that changes something, by type and name; the stack's own node is no resource of anybody's."""
        found = [step for step in self.steps.values() if step.action not in UNCHANGED and step.type != ROOT_TYPE]
        return tuple(sorted(found, key=lambda step: (step.action, step.type, step.name)))

    def line(self) -> str:
        """How far it is: "12 of 34, NetworkPolicy allow-dns"."""
        counted = f"{len(self.done)} of {self.total}" if self.total >= len(self.done) > 0 else f"{len(self.done)} done"
        latest = next(reversed(self.running.values()), "")
        return f"{counted}, {latest}" if latest else counted

    def _begun(self, step: StepEventMetadata) -> None:
        action = action_of(step.op)
        before = self.steps.get(step.urn)
        if before is None or before.action in UNCHANGED or action == "replace":
            self.steps[step.urn] = Step(
                action=action, type=step.type, name=_name(step.urn), properties=_properties(step, before)
            )
        if action not in UNCHANGED:
            self.running[step.urn] = f"{step.type.rpartition(':')[2]} {_name(step.urn)}"

    def _ended(self, step: StepEventMetadata) -> None:
        if step.urn not in self.steps or action_of(step.op) not in UNCHANGED:
            self._begun(step)  # a refresh says only at the end what it found
        self.running.pop(step.urn, None)
        self.done.add(step.urn)

    def _complained(self, event: DiagnosticEvent) -> None:
        said = diagnostic(event.message, urn=event.urn or "")
        if said and event.severity == "error":
            self.errors.append(said)
        elif said and event.severity == "warning":
            self.warnings.append(said)


def action_of(op: str) -> str:
    """The engine's word for a step, variants of a replacement together."""
    word = str(getattr(op, "value", op))
    return MEANINGS.get(word, word)


def _name(urn: str) -> str:
    return urn.rsplit("::", maxsplit=1)[-1]


def _properties(step: StepEventMetadata, before: Step | None) -> tuple[str, ...]:
    named = (*(before.properties if before else ()), *(step.diffs or ()), *(step.detailed_diff or ()))
    return tuple(sorted(set(named)))
