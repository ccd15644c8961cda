"""Servers as children of this process: started with a log, asked to stop at the end, killed if they do not listen."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from planning.errors import AtollError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

REPOSITORY: Final = Path(__file__).resolve().parents[2]
BIN: Final = REPOSITORY / "tools" / "bin"
LOOPBACK: Final = "127.0.0.1"
STOP_WITHIN: Final = 10.0  # seconds
LINES_SHOWN: Final = 20


class ServerError(AtollError):
    """A server ended early or never became ready; the message carries the end of its log."""


@dataclass(frozen=True, slots=True)
class Child:
    """A started server and the file it logs to."""

    process: subprocess.Popen[bytes]
    log: Path

    def check(self) -> None:
        """Nothing while it runs.

        Raises:
            ServerError: it is gone.
        """
        if self.process.poll() is not None:
            raise ServerError(f"{self.log.stem} ended with {self.process.returncode}:\n{self.last_words()}")

    def last_words(self) -> str:
        """The end of its log."""
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        return "\n".join(lines[-LINES_SHOWN:])


@contextlib.contextmanager
def child(
    command: Sequence[str],
    *,
    log: Path,
    environment: Mapping[str, str] | None = None,
    user: str | None = None,
    folder: Path | None = None,
) -> Generator[Child]:
    """Start a server, and stop it at the end."""
    with log.open("wb") as output:
        process = subprocess.Popen(  # noqa: S603 - servers that we named, no shell
            list(command), stdout=output, stderr=subprocess.STDOUT, env=environment, user=user, cwd=folder
        )
    try:
        yield Child(process, log)
    finally:
        stop(process)


def stop(process: subprocess.Popen[bytes]) -> None:
    """Ask it to end; kill it if it does not."""
    process.terminate()
    try:
        process.wait(STOP_WITHIN)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def until(ready: Callable[[], bool], started: Child, *, seconds: float, every: float = 0.2) -> None:
    """Ask until the answer is yes.

    Raises:
        ServerError: the server ended, or there was no time left.
    """
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        started.check()
        if ready():
            return
        time.sleep(every)
    raise ServerError(f"{started.log.stem} was not ready after {seconds:.0f} s:\n{started.last_words()}")


def free_ports(count: int) -> list[int]:
    """Free loopback ports, all held until the last is found, so that they differ."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind((LOOPBACK, 0))
        return [each.getsockname()[1] for each in sockets]


def write_secret(path: Path, text: str) -> None:
    """Write a file that only its owner may read."""
    path.touch(mode=0o600)
    path.write_text(text, encoding="utf-8")
