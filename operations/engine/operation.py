"""One operation of the engine: started, watched, and ended with a report; a person's Ctrl-C lets it end in order."""

from __future__ import annotations

import signal
import threading
import time
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from pulumi.automation import CommandError

from operations.engine.messages import StoppedError, failed
from operations.engine.progress import UNCHANGED, Watch

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    from operations.engine.messages import Diagnostic
    from operations.engine.progress import Progress, Step
    from operations.engine.session import Opened
    from planning.values.errors import AtollError

STOPPING: Final = "stopping: what is under way is finished first; Ctrl-C again ends the engine at once"
HOW_TO_GO_ON: Final = "the same command goes on where it stopped; after a second Ctrl-C, atoll refresh first"
EACH_S: Final = 5.0
PLAIN: Final = "never"  # no colours in what we read


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What came of an operation.

    Args:
        changes: resources by action (create, update, delete, replace, same).
        failure: what stopped it; None where it went through.
    """

    title: str
    changes: Mapping[str, int]
    steps: tuple[Step, ...]
    complaints: tuple[Diagnostic, ...]
    warnings: tuple[Diagnostic, ...]
    seconds: float
    failure: AtollError | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing changes."""
        return all(action in UNCHANGED for action, count in self.changes.items() if count)


def preview(opened: Opened, *, total: int, progress: Progress) -> Report:
    """What `up` would change."""
    call = partial(opened.stack.preview, color=PLAIN, suppress_outputs=True, suppress_progress=True)
    return _run(opened, "preview", lambda watch: call(on_event=watch), total=total, progress=progress)


def up(opened: Opened, *, total: int, progress: Progress, target: Sequence[str] = (), title: str = "up") -> Report:
    """Create and update; with `target`, only those URNs."""
    call = partial(opened.stack.up, color=PLAIN, suppress_outputs=True, suppress_progress=True, show_secrets=False)
    only = list(target) or None
    return _run(opened, title, lambda watch: call(on_event=watch, target=only), total=total, progress=progress)


def preview_refresh(opened: Opened, *, total: int, progress: Progress) -> Report:
    """What of the live resources is no longer what the state says."""
    call = partial(opened.stack.preview_refresh, color=PLAIN, suppress_outputs=True, suppress_progress=True)
    return _run(opened, "look", lambda watch: call(on_event=watch), total=total, progress=progress)


def refresh(opened: Opened, *, total: int, progress: Progress) -> Report:
    """Write into the state what is live."""
    call = partial(opened.stack.refresh, color=PLAIN, suppress_outputs=True, suppress_progress=True, show_secrets=False)
    return _run(opened, "refresh", lambda watch: call(on_event=watch), total=total, progress=progress)


def destroy(opened: Opened, *, total: int, progress: Progress) -> Report:
    """Delete everything that is not protected, dependents first."""
    call = partial(opened.stack.destroy, color=PLAIN, suppress_outputs=True, suppress_progress=True, show_secrets=False)
    return _run(
        opened, "destroy", lambda watch: call(on_event=watch, exclude_protected=True), total=total, progress=progress
    )


def _run(
    opened: Opened, title: str, start: Callable[[Callable[..., None]], object], *, total: int, progress: Progress
) -> Report:
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
                told(watch.line())

        def wait() -> None:
            with one_at_a_time:
                told(watch.line())

        try:
            with _now_and_then(wait):
                start(take)
        except (CommandError, RuntimeError) as error:
            failure = failed(title, opened.name, error=error, found=watch.errors, prefix=opened.backend.prefix())
    if failure and stopped:
        failure = StoppedError(f"{title} of {opened.name} was stopped", hint=HOW_TO_GO_ON)
    return Report(
        title=title,
        changes=watch.changes(),
        steps=watch.differing(),
        complaints=tuple(watch.errors),
        warnings=tuple(watch.warnings),
        seconds=time.monotonic() - began,
        failure=failure,
    )


@contextmanager
def _now_and_then(tell: Callable[[], None]) -> Generator[None]:
    """While it lasts, tell also where nothing is reported: a cluster or a load balancer takes minutes."""
    ended = threading.Event()

    def repeat() -> None:
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
    """While it lasts, Ctrl-C is the engine's affair: it hears it too, and must not be left alone with a half update."""
    heard: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield heard
        return

    def hear(number: int, _frame: object) -> None:
        if not heard:
            say(STOPPING)
        heard.append(number)

    before = signal.signal(signal.SIGINT, hear)
    try:
        yield heard
    finally:
        signal.signal(signal.SIGINT, before)
