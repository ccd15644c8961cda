"""Threads that copy: each with its own connections and its own room for a block."""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TYPE_CHECKING, Final, Literal

from components.agents.mover.store.model import BucketEndpoint, StoreError
from components.agents.mover.store.responses import is_fatal
from components.agents.mover.store.s3_client import S3Store, connect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from components.agents.mover.ledger import Written


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyOutcome:
    """Outcome of one key.

    Args:
        rows: everything of it that is at the target now; for what was copied and retagged.
        size: bytes that were copied.
        copied: versions that were copied.
        error: what stops everything.
    """

    key: str
    what: Literal["copied", "kept", "retagged", "deleted", "abandoned", "changed", "failed", "stopped"]
    rows: tuple[Written, ...] = ()
    size: int = 0
    copied: int = 0
    why: str = ""
    error: BaseException | None = None


class WorkerContext:
    """Connections and buffer of one thread."""

    def __init__(self, source: BucketEndpoint, target: BucketEndpoint, *, crew: WorkerPool) -> None:
        self.source: S3Store = connect(source)
        self.target: S3Store = connect(target)
        self.crew = crew
        self._room = memoryview(bytearray(0))

    def reserve_buffer(self, size: int) -> memoryview:
        """A buffer of that size; the next call reuses it."""
        if len(self._room) < size:
            self._room = memoryview(bytearray(size))
        return self._room[:size]

    def close(self) -> None:
        self.source.close()
        self.target.close()


@dataclass(frozen=True, slots=True)
class WorkItem:
    """Work of one thread for one key.

    Args:
        part: whether it is of something that was begun, and ends it itself when everything stops.
    """

    key: str
    work: Callable[[WorkerContext], KeyOutcome | None]
    part: bool = False


class WorkerPool:
    """Threads with a queue of work and one of outcomes.

    Args:
        spend: bytes that are about to be read; returns when they may be.
        tags_counted: see `transfer_plan.CopyOptions`.
    """

    def __init__(
        self,
        source: BucketEndpoint,
        target: BucketEndpoint,
        *,
        threads: int,
        spend: Callable[[int], None],
        part_size: int,
        tags_counted: bool,
    ) -> None:
        self.outcomes: SimpleQueue[KeyOutcome] = SimpleQueue()
        self.spend = spend
        self.part_size = part_size
        self.tags_counted = tags_counted
        self.stopping = threading.Event()
        self._jobs: deque[WorkItem] = deque()
        self._woken = threading.Condition()
        self._closed = False
        self._pair = (source, target)
        self._threads = [threading.Thread(target=self._run, name=f"copy-{at}", daemon=True) for at in range(threads)]
        for each in self._threads:
            each.start()

    def give(self, jobs: Iterable[WorkItem]) -> None:
        """Append work."""
        with self._woken:
            self._jobs.extend(jobs)
            self._woken.notify_all()

    def give_first(self, jobs: Iterable[WorkItem]) -> None:
        """Put work first: parts of an upload that was begun."""
        with self._woken:
            # First: an upload that was begun holds memory and parts at the store until its last part.
            self._jobs.extendleft(reversed(list(jobs)))
            self._woken.notify_all()

    def close(self) -> None:
        """Wait for work in progress, begin no more."""
        with self._woken:
            self._closed = True
            self._woken.notify_all()
        for each in self._threads:
            each.join()

    def _take_next(self) -> WorkItem | None:
        with self._woken:
            while not self._jobs:
                if self._closed:
                    return None
                self._woken.wait()
            return self._jobs.popleft()

    def _run(self) -> None:
        hands = WorkerContext(*self._pair, crew=self)
        try:
            while (job := self._take_next()) is not None:
                outcome = self._work(job, hands)
                if outcome is not None:
                    self.outcomes.put(outcome)
        finally:
            hands.close()

    def _work(self, job: WorkItem, hands: WorkerContext) -> KeyOutcome | None:
        if self.stopping.is_set() and not job.part:
            return KeyOutcome(key=job.key, what="stopped")
        try:
            return job.work(hands)
        except StoreError as error:
            return classify_error(job.key, error)
        except BaseException as error:  # noqa: BLE001 - raised again by the thread that waits for outcomes
            return KeyOutcome(key=job.key, what="stopped", error=error)


def classify_error(key: str, error: StoreError) -> KeyOutcome:
    """Outcome of an error: the key changed, it failed alone, or nothing else can succeed."""
    if error.code in {"PreconditionFailed", "NoSuchKey", "NoSuchVersion"}:
        return KeyOutcome(key=key, what="changed", why=str(error))
    if is_fatal(error):
        return KeyOutcome(key=key, what="stopped", error=error)
    return KeyOutcome(key=key, what="failed", why=str(error), error=error)


MIB: Final = 2**20
BURST_SECONDS: Final = 0.25  # of bytes that may come at once after a pause


class Bandwidth:
    """A token bucket of bytes.

    Args:
        mib_per_s: what all threads may take together; None for all there is.
    """

    def __init__(self, mib_per_s: float | None) -> None:
        self._rate = None if mib_per_s is None else mib_per_s * MIB
        self._lock = threading.Lock()
        self._left = 0.0
        self._at = time.monotonic()

    def take(self, count: int) -> None:
        """Take bytes; waits until they are available."""
        if self._rate is None:
            return
        with self._lock:
            now = time.monotonic()
            self._left = min(self._left + (now - self._at) * self._rate, self._rate * BURST_SECONDS) - count
            self._at = now
            wait = -self._left / self._rate
        if wait > 0:
            time.sleep(wait)
