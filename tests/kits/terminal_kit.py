"""A real pseudo-terminal, a real process, keys typed one by one: what people see where they are asked."""

from __future__ import annotations

import os
import pty
import select
import signal
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LONGEST_S = 300.0  # a process that says nothing for so long hangs
CTRL_C, CTRL_D = "\x03", "\x04"


@dataclass
class Terminal:
    """One command line in a terminal of its own."""

    pid: int
    screen: int
    said: str = ""
    seen: int = field(default=0)

    def until(self, words: str) -> str:
        """What is said from the last stop to these words."""
        ends = time.monotonic() + LONGEST_S
        while words not in self.said[self.seen :]:
            read = self._read(before=ends)
            if not read:
                pytest.fail(f"never said {words!r}: {self.said[-2000:]}")
            self.said += read.decode(errors="replace")
        stop = self.said.index(words, self.seen) + len(words)
        passage, self.seen = self.said[self.seen : stop], stop
        return passage

    def type(self, keys: str) -> None:
        os.write(self.screen, keys.encode())

    def end(self) -> int:
        """The rest, and the exit code; a process that does not end is ended."""
        ends = time.monotonic() + LONGEST_S
        while read := self._read(before=ends):
            self.said += read.decode(errors="replace")
        if time.monotonic() >= ends:
            os.kill(self.pid, signal.SIGKILL)
        _, status = os.waitpid(self.pid, 0)
        os.close(self.screen)
        return os.waitstatus_to_exitcode(status)

    def _read(self, *, before: float) -> bytes:
        with suppress(OSError):  # Linux says EIO where the other side has gone
            if select.select([self.screen], [], [], max(0.0, before - time.monotonic()))[0]:
                return os.read(self.screen, 65_536)
        return b""


def at_terminal(folder: Path, *arguments: str) -> Terminal:
    pid, screen = pty.fork()
    if pid == 0:
        try:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell starts what runs in its background deaf to Ctrl-C
            os.chdir(folder)
            environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100", "TERM": "xterm"}
            os.execve(sys.executable, [sys.executable, "-P", "-m", "cli.main.entry", *arguments], environment)  # noqa: S606 - no shell is wanted
        finally:
            os._exit(127)
    return Terminal(pid, screen)
