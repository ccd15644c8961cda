"""A stop that was asked for, and processes that end with ours: every step can be killed, and the next run goes on."""

from __future__ import annotations

import shutil
import signal
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence


INTERRUPTED: Final = 130  # as a shell reports SIGINT
TERMINATED: Final = 143  # and SIGTERM


class TerminatedError(BaseException):
    """SIGTERM came. It passes every `except Exception`, as a kill would."""


@contextmanager
def terminable() -> Generator[None]:
    """Let SIGTERM unwind, so that programs that were started end too."""

    def stop(_number: int, _frame: object) -> None:
        # A second one kills: cleaning up may hang.
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        raise TerminatedError

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def until_stopped(work: Callable[[], int], *, told: Callable[[], None]) -> int:
    """Exit code of the work; where a signal stopped it, the signal's, once that was told."""
    try:
        with terminable():
            return work()
    except KeyboardInterrupt:
        told()
        return INTERRUPTED
    except TerminatedError:
        told()
        return TERMINATED


def with_parent_death_signal(command: Sequence[str]) -> list[str]:
    """A command that is killed when this process is; as it is where the system has no `setpriv`."""
    # SIGKILL cannot be heard: without it a server or a dump would go on alone.
    setpriv = _setpriv()
    return [setpriv, "--pdeathsig", "KILL", "--", *command] if setpriv else list(command)


@cache
def _setpriv() -> str:
    return shutil.which("setpriv") or ""
