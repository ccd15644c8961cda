"""Asking a tree in a process of its own: nothing of our environment but the path, a deadline, and an end for all."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from operations.diff.protocol import DONE, READY, REGISTER, STARTED, load_object

if TYPE_CHECKING:
    from collections.abc import Sequence

    from operations.diff.protocol import CaseForm, RequestForm
    from operations.diff.worktrees import Worktree

PASSED: Final = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "SYSTEMROOT", "LD_LIBRARY_PATH", "SSL_CERT_FILE")
GRACE_S: Final = 60.0  # to start, to import, and to write an answer
WORDS: Final = 300
LAST_BYTES: Final = 2**16  # of what a process said; it may have said anything
MOST_LINES: Final = 1000  # a side tells three for each stack
LONGEST_LINE: Final = 1000
GONE: Final = ""


@dataclass(kw_only=True)
class Asker:
    """Starts the processes of one comparison, and ends them all.

    Args:
        folder: for what the processes need on disk.
        today: the day on which it is judged.
        deadline_s: for one program.
    """

    folder: Path
    today: str
    deadline_s: float
    _living: set[subprocess.Popen[str]] = field(default_factory=set["subprocess.Popen[str]"])
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _stopped: bool = False

    def ask(self, place: Worktree, ask: str, cases: Sequence[CaseForm]) -> None:
        """Have every case answered in its file: by the tree, or by a failure that says why it is not."""
        left = list(cases)
        while left and not self._stopped:
            left = self._ask_worker(place, ask, left) if place.tree.can_judge else self._ask_old(place, ask, left)

    def stop(self) -> None:
        """End whatever still runs."""
        with self._lock:
            self._stopped = True
            for process in self._living:
                _kill(process)

    def _ask_worker(self, place: Worktree, ask: str, cases: Sequence[CaseForm]) -> list[CaseForm]:
        """One process for as many cases as it answers; those that are left for another."""
        request: RequestForm = {"ask": ask, "today": self.today, "deadline_s": self.deadline_s, "cases": list(cases)}  # pyright: ignore[reportAssignmentType] - one of the three words
        process, said = self._start(place, [place.tree.worker], stdin=json.dumps(request))
        ready, begun, done = False, False, 0
        lines, ends = _lines(process), self._compute_deadline(len(cases))
        try:
            while (line := _next(lines, self.deadline_s + GRACE_S, ends=ends)) and done < len(cases):
                ready, begun, done = ready or line == READY, line == STARTED, done + (line == DONE)
        finally:
            code = self._end(process)
        if not ready:
            return self._refuse(cases, f"its Atoll does not start: {_tail(said, code)}")
        # It died within this case; the others are asked in a new process.
        if begun:
            self._refuse(cases[done : done + 1], _tail(said, code))
        elif not done:
            return self._refuse(cases, _tail(said, code))
        return list(cases[done + begun :])

    def _ask_old(self, place: Worktree, ask: str, cases: Sequence[CaseForm]) -> list[CaseForm]:
        """An older Atoll, asked by the command that it has: it registers one stack, and judges none."""
        if ask != REGISTER:
            return self._refuse(cases, "its Atoll is older and cannot judge for others")
        case = cases[0]
        answer = Path(case["answer"])
        plan = answer.with_suffix(".plan.json")  # the ending by which an Atoll after decision 0033 knows a file
        command = [place.tree.entry, "plan", case["stack"], "--json", str(plan)]
        process, said = self._start(place, command, stdin="")
        lines, ends = _lines(process), self._compute_deadline(1)
        try:
            while _next(lines, self.deadline_s + GRACE_S, ends=ends):
                pass
        finally:
            code = self._end(process)
        found = load_object(plan)
        if found is None or "resources" not in found:
            return [*self._refuse(cases[:1], _tail(said, code)), *cases[1:]]
        answer.write_text(json.dumps({"failure": "", "resources": found["resources"]}), encoding="utf-8")
        plan.unlink()
        return list(cases[1:])

    def _compute_deadline(self, cases: int) -> float:
        """When a process must have answered, however many lines it goes on to say; monotonic seconds."""
        return time.monotonic() + GRACE_S + (self.deadline_s + GRACE_S) * cases

    def _start(self, place: Worktree, module: Sequence[str], *, stdin: str) -> tuple[subprocess.Popen[str], Path]:
        """A process of the tree, and the file of what it says beside its answers."""
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        said, asked = (self.folder / f"{name}-{threading.get_ident()}" for name in ("stderr", "stdin"))
        asked.write_text(stdin, encoding="utf-8")
        with self._lock, asked.open("rb") as given, said.open("wb") as errors:
            process = subprocess.Popen(  # noqa: S603 - a list, no shell
                [sys.executable, "-P", "-m", *module],
                cwd=place.root,
                env=_surroundings(place.root, home=home, today=self.today),
                stdin=given,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,
            )
            self._living.add(process)
        return process, said

    def _end(self, process: subprocess.Popen[str]) -> int:
        """Exit code of a process, whose children end with it."""
        with suppress(subprocess.TimeoutExpired):
            process.wait(1.0 if process.poll() is None else 0)
        code = process.poll()
        _kill(process)
        process.wait()
        with self._lock:
            self._living.discard(process)
        return process.returncode if code is None else code

    def _refuse(self, cases: Sequence[CaseForm], reason: str) -> list[CaseForm]:
        for case in cases:
            Path(case["answer"]).write_text(json.dumps({"failure": reason}), encoding="utf-8")
        return []


def _surroundings(root: Path, *, home: Path, today: str) -> dict[str, str]:
    """What a program needs to be found and to run."""
    # The program is a stranger's: no credential, no token, no setting of ours.
    passed = {name: os.environ[name] for name in PASSED if name in os.environ}
    return {**passed, "PYTHONPATH": str(root), "PYTHONUTF8": "1", "HOME": str(home), "ATOLL_TODAY": today}


def _lines(process: subprocess.Popen[str]) -> queue.Queue[str]:
    """Lines of its stdout as they come, as many as a side may have to say; "" once there is no more."""
    lines: queue.Queue[str] = queue.Queue()

    def read() -> None:
        assert process.stdout is not None  # noqa: S101 - it is a pipe
        with process.stdout as stream:
            # Bounded in both directions: a program that never stops talking must not fill our memory.
            for line in islice(iter(partial(stream.readline, LONGEST_LINE), GONE), MOST_LINES):
                lines.put(line.rstrip("\n") or " ")
        lines.put(GONE)

    threading.Thread(target=read, daemon=True).start()
    return lines


def _next(lines: queue.Queue[str], seconds: float, *, ends: float) -> str:
    """The next line; "" where none came in time, or before it `ends`."""
    try:
        return lines.get(timeout=max(0.0, min(seconds, ends - time.monotonic())))
    except queue.Empty:
        return GONE


def _tail(said: Path, code: int) -> str:
    """Why a process ended, with its last words."""
    with said.open("rb") as file:
        file.seek(max(0, said.stat().st_size - LAST_BYTES))
        text = file.read(LAST_BYTES).decode("utf-8", "replace")
    words = [line.strip() for line in text.splitlines() if line.strip()]
    how = "it did not end in time" if code == -signal.SIGKILL else f"it ended with code {code}"
    return f"{how}: {words[-1][-WORDS:]}" if words else how


def _kill(process: subprocess.Popen[str]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
