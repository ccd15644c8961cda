"""Runs one operation of the engine and reports it; Ctrl-C lets it end in order."""

from __future__ import annotations

import signal
import threading
import time
import warnings
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

from pulumi.automation import CommandError

from operations.engine.messages import Diagnostic, OperationStoppedError, build_operation_error, diagnostic

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from pulumi.automation import EngineEvent
    from pulumi.automation.events import DiagnosticEvent, StepEventMetadata

    from operations.engine.session import StackSession
    from planning.values.errors import AtollError


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
class ResourceStep:
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
    """Receives the progress of an operation.

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
        total: resources it will probably touch; 0 where that is not known.
    """

    total: int = 0
    steps: dict[str, ResourceStep] = field(default_factory=dict[str, ResourceStep])
    done: set[str] = field(default_factory=set[str])
    running: dict[str, str] = field(default_factory=dict[str, str])
    errors: list[Diagnostic] = field(default_factory=list[Diagnostic])
    warnings: list[Diagnostic] = field(default_factory=list[Diagnostic])
    summary: dict[str, int] = field(default_factory=dict[str, int])

    def take(self, event: EngineEvent) -> None:
        """Take one event."""
        if event.resource_pre_event:
            self._begin(event.resource_pre_event.metadata)
        elif event.res_outputs_event:
            self._end(event.res_outputs_event.metadata)
        elif event.res_op_failed_event:
            self.running.pop(event.res_op_failed_event.metadata.urn, None)
        elif event.diagnostic_event:
            self._add_complaint(event.diagnostic_event)
        elif event.summary_event:
            counts = event.summary_event.resource_changes
            self.summary = {action_of(op): count for op, count in counts.items()}

    def count_changes(self) -> Mapping[str, int]:
        """Resources by action: as the engine counts them, else as it reported them before it stopped."""
        if self.summary:
            return dict(self.summary)
        return Counter(step.action for urn, step in self.steps.items() if urn in self.done)

    def list_changes(self) -> tuple[ResourceStep, ...]:
        """Every step that changes something, by type and name; the stack's own node is no resource of anybody's."""
        found = [step for step in self.steps.values() if step.action not in UNCHANGED and step.type != ROOT_TYPE]
        return tuple(sorted(found, key=lambda step: (step.action, step.type, step.name)))

    def format_progress(self) -> str:
        """How far it is: "12 of 34, NetworkPolicy allow-dns"."""
        counted = f"{len(self.done)} of {self.total}" if self.total >= len(self.done) > 0 else f"{len(self.done)} done"
        latest = next(reversed(self.running.values()), "")
        return f"{counted}, {latest}" if latest else counted

    def _begin(self, step: StepEventMetadata) -> None:
        action = action_of(step.op)
        before = self.steps.get(step.urn)
        if before is None or before.action in UNCHANGED or action == "replace":
            self.steps[step.urn] = ResourceStep(
                action=action, type=step.type, name=_name(step.urn), properties=_properties(step, before)
            )
        if action not in UNCHANGED:
            self.running[step.urn] = f"{step.type.rpartition(':')[2]} {_name(step.urn)}"

    def _end(self, step: StepEventMetadata) -> None:
        if step.urn not in self.steps or action_of(step.op) not in UNCHANGED:
            self._begin(step)  # a refresh says only at the end what it found
        self.running.pop(step.urn, None)
        self.done.add(step.urn)

    def _add_complaint(self, event: DiagnosticEvent) -> None:
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


def _properties(step: StepEventMetadata, before: ResourceStep | None) -> tuple[str, ...]:
    named = (*(before.properties if before else ()), *(step.diffs or ()), *(step.detailed_diff or ()))
    return tuple(sorted(set(named)))


STOPPING: Final = "stopping: what is under way is finished first; Ctrl-C again ends the engine at once"
HOW_TO_GO_ON: Final = "the same command goes on where it stopped; after a second Ctrl-C, atoll refresh first"
EACH_S: Final = 5.0
PLAIN: Final = "never"  # no colours in what we read


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationReport:
    """What came of an operation.

    Args:
        changes: resources by action (create, update, delete, replace, same).
        failure: what stopped it; None where it went through.
    """

    title: str
    changes: Mapping[str, int]
    steps: tuple[ResourceStep, ...]
    complaints: tuple[Diagnostic, ...]
    warnings: tuple[Diagnostic, ...]
    seconds: float
    failure: AtollError | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing changes."""
        return all(action in UNCHANGED for action, count in self.changes.items() if count)


def preview(opened: StackSession, *, total: int, progress: Progress) -> OperationReport:
    """What `up` would change."""
    return _run(opened, "preview", opened.stack.preview, total=total, progress=progress)


def up(
    opened: StackSession, *, total: int, progress: Progress, target: Sequence[str] = (), title: str = "up"
) -> OperationReport:
    """Create and update; with `target`, only those URNs."""
    call = partial(opened.stack.up, show_secrets=False, target=list(target) or None)
    return _run(opened, title, call, total=total, progress=progress)


def preview_refresh(opened: StackSession, *, total: int, progress: Progress) -> OperationReport:
    """What of the live resources is no longer what the state says."""
    return _run(opened, "look", opened.stack.preview_refresh, total=total, progress=progress)


def refresh(opened: StackSession, *, total: int, progress: Progress) -> OperationReport:
    return _run(opened, "refresh", partial(opened.stack.refresh, show_secrets=False), total=total, progress=progress)


def destroy(opened: StackSession, *, total: int, progress: Progress) -> OperationReport:
    """Delete everything that is not protected, dependents first."""
    call = partial(opened.stack.destroy, show_secrets=False, exclude_protected=True)
    return _run(opened, "destroy", call, total=total, progress=progress)


def _run(
    opened: StackSession, title: str, call: Callable[..., object], *, total: int, progress: Progress
) -> OperationReport:
    watch = Watch(total=total)
    began = time.monotonic()
    failure: AtollError | None = None
    following = progress.follow(f"{title} {opened.name}")
    with following as told, _in_order(progress.say) as stopped, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the SDK warns of every event that a newer engine adds

        one_at_a_time = threading.Lock()

        def take(event: object) -> None:
            with one_at_a_time:
                watch.take(event)  # pyright: ignore[reportArgumentType]  # the SDK's own event
                told(watch.format_progress())

        def wait() -> None:
            with one_at_a_time:
                told(watch.format_progress())

        try:
            with _now_and_then(wait):
                call(on_event=take, color=PLAIN, suppress_outputs=True, suppress_progress=True)
        except (CommandError, RuntimeError) as error:
            failure = build_operation_error(
                title, opened.name, error=error, found=watch.errors, prefix=opened.backend.prefix()
            )
    if failure and stopped:
        failure = OperationStoppedError(f"{title} of {opened.name} was stopped", hint=HOW_TO_GO_ON)
    return OperationReport(
        title=title,
        changes=watch.count_changes(),
        steps=watch.list_changes(),
        complaints=tuple(watch.errors),
        warnings=tuple(watch.warnings),
        seconds=time.monotonic() - began,
        failure=failure,
    )


@contextmanager
def _now_and_then(tell: Callable[[], None]) -> Generator[None]:
    """While it lasts, tell also where nothing is reported."""
    ended = threading.Event()

    def repeat() -> None:
        # A cluster or a load balancer takes minutes in which the engine reports nothing.
        while not ended.wait(EACH_S):
            tell()

    teller = threading.Thread(target=repeat, daemon=True)
    teller.start()
    try:
        yield
    finally:
        ended.set()
        teller.join()


@contextmanager
def _in_order(say: Callable[[str], None]) -> Generator[list[int]]:
    """While it lasts, Ctrl-C is the engine's affair."""
    heard: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield heard
        return

    def hear(number: int, _frame: object) -> None:
        # The engine hears Ctrl-C as well, and ends in order: it must not be left alone with a half update.
        if not heard:
            say(STOPPING)
        heard.append(number)

    before = signal.signal(signal.SIGINT, hear)
    try:
        yield heard
    finally:
        signal.signal(signal.SIGINT, before)
