"""How far a copy is, for whoever waits and for metrics."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

    from components.agents.mover.transfer_plan import RoundReport


MIB: Final = 2**20
EVERY: Final = 5.0  # seconds between two lines


class Teller:
    """Reports the progress of a round, one line every few seconds.

    Args:
        watch: called with the copied versions and their bytes, as often.
        expected: bytes of the whole, where the inventory knows them.
    """

    def __init__(self, say: Callable[[str], None], watch: Callable[[int, int], None], *, expected: int | None) -> None:
        self._say, self._watch, self._expected = say, watch, expected
        self._begun = time.monotonic()
        self._next = self._begun + EVERY

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._begun

    def tell(self, done: RoundReport, *, now: bool = False) -> None:
        if not now and time.monotonic() < self._next:
            return
        self._next = time.monotonic() + EVERY
        seconds = self.seconds
        rate = done.size / seconds if seconds else 0.0
        left = None if self._expected is None else max(0, self._expected - done.size - done.skipped_size)
        until = "" if left is None or not rate else f", about {left / rate:,.0f} s left"
        self._say(
            f"{done.objects:,} objects, {done.size / MIB:,.0f} MiB copied, {done.skipped:,} unchanged, "
            f"{rate / MIB:,.1f} MiB/s{until}"
        )
        self._watch(done.objects, done.size)


RECENT_SECONDS: Final = 60.0  # over which a rate is told
LAST_FAILURES: Final = 20  # by name; the rest are counted


@dataclass(frozen=True, slots=True, kw_only=True)
class MoverProgress:
    """Progress at one moment.

    Args:
        expected_objects: how many there are to do; None until that is known.
        bytes_per_s: of the last minute.
        remaining_s: at that rate; None where it cannot be told.
    """

    objects: int = 0
    size: int = 0
    expected_objects: int | None = None
    expected_size: int | None = None
    failures: int = 0
    failed: tuple[str, ...] = ()
    bytes_per_s: float = 0.0
    seconds: float = 0.0
    remaining_s: float | None = None
    done: bool = False


class ProgressPage:
    """Counters of a copy worker, updated by its threads.

    Args:
        clock: seconds that only grow.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._began = clock, clock()
        self._lock = threading.Lock()
        self._objects = self._size = self._failures = 0
        self._expected: tuple[int, int] | None = None
        self._failed: deque[str] = deque(maxlen=LAST_FAILURES)
        self._recent: deque[tuple[float, int]] = deque([(self._began, 0)])
        self._done = False

    def add(self, *, objects: int = 0, size: int = 0) -> None:
        with self._lock:
            self._objects, self._size = self._objects + objects, self._size + size
            now = self._clock()
            if now - self._recent[-1][0] >= 1:
                self._recent.append((now, self._size))
            while len(self._recent) > 1 and now - self._recent[1][0] > RECENT_SECONDS:
                self._recent.popleft()

    def reach(self, objects: int, size: int) -> None:
        self.add(objects=objects - self._objects, size=size - self._size)

    def expect(self, *, objects: int, size: int) -> None:
        with self._lock:
            self._expected = (objects, size)

    def fail(self, what: str) -> None:
        with self._lock:
            self._failures += 1
            self._failed.append(what)

    def finish(self) -> None:
        with self._lock:
            self._done = True

    def read_progress(self) -> MoverProgress:
        with self._lock:
            now = self._clock()
            since, before = self._recent[0]
            rate = (self._size - before) / (now - since) if now > since else 0.0
            objects, size = self._expected or (None, None)
            left = max(0, size - self._size) if size is not None else None
            return MoverProgress(
                objects=self._objects,
                size=self._size,
                expected_objects=objects,
                expected_size=size,
                failures=self._failures,
                failed=tuple(self._failed),
                bytes_per_s=round(rate, 1),
                seconds=round(now - self._began, 1),
                remaining_s=round(left / rate, 1) if left is not None and rate > 0 else None,
                done=self._done,
            )


def metrics(now: MoverProgress, labels: Mapping[str, str]) -> str:
    """Prometheus text format; https://prometheus.io/docs/instrumenting/exposition_formats/ (2026-11-22)."""
    values = {
        "atoll_mover_objects_total": ("counter", now.objects),
        "atoll_mover_bytes_total": ("counter", now.size),
        "atoll_mover_failures_total": ("counter", now.failures),
        "atoll_mover_bytes_per_second": ("gauge", now.bytes_per_s),
        "atoll_mover_expected_objects": ("gauge", now.expected_objects),
        "atoll_mover_expected_bytes": ("gauge", now.expected_size),
        "atoll_mover_remaining_seconds": ("gauge", now.remaining_s),
        "atoll_mover_done": ("gauge", int(now.done)),
    }
    words = ",".join(f'{name}="{_escape_label(value)}"' for name, value in sorted(labels.items()))
    return "".join(
        f"# TYPE {name} {kind}\n{name}{{{words}}} {value}\n"
        for name, (kind, value) in values.items()
        if value is not None
    )


def as_json(now: MoverProgress, labels: Mapping[str, str]) -> str:
    return json.dumps({**labels, **asdict(now)}, sort_keys=True) + "\n"


@contextmanager
def serve_progress(progress: ProgressPage, labels: Mapping[str, str], *, listen: str, port: int) -> Generator[int]:
    """Serve the progress on a port; yields the port, which is chosen if it is 0.

    Raises:
        OSError: the port is taken.
    """

    class ProgressHandler(BaseHTTPRequestHandler):
        """GET of /metrics and /progress."""

        def do_GET(self) -> None:
            found = {"/metrics": ("text/plain; version=0.0.4", metrics), "/progress": ("application/json", as_json)}
            kind, text = found.get(self.path, ("", None))
            if text is None:
                self.send_error(HTTPStatus.NOT_FOUND)
                return
            body = text(progress.read_progress(), labels).encode()
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        # Prometheus asks every half minute, and the log has better things to say.
        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the library's
            """Log nothing."""

    server = ThreadingHTTPServer((listen, port), ProgressHandler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.1,), name="progress", daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _escape_label(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
