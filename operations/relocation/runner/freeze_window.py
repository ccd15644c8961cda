"""How long writers may stand still: the window, kept to the second while a step runs."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from datetime import datetime

    from operations.relocation.config.endpoints import Places

WATCHED: Final = "observe"  # its own time is asked for beside the window


class WindowPassedError(BaseException):
    """The window is over while a step runs. It passes every `except Exception`, as a kill would."""


def deadline(places: Places, *, step: str, frozen_since: datetime) -> datetime:
    """When a step of the freeze must be done: the window, and for the last one the time of observing with it."""
    minutes = places.window_minutes + (places.observe_minutes if step == WATCHED else 0)
    return frozen_since + timedelta(minutes=minutes)


@contextmanager
def limit_time(moment: datetime | None, *, now: Callable[[], datetime]) -> Generator[None]:
    """Run until a moment at most; None for as long as it takes.

    A thread other than the main one cannot be interrupted: there the moment is looked at before and after.

    Raises:
        WindowPassedError: the moment has come.
    """
    if moment is None:
        yield
        return
    left = (moment - now()).total_seconds()
    if left <= 0:
        raise WindowPassedError
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    earlier = signal.signal(signal.SIGALRM, _raise_window_passed)
    signal.setitimer(signal.ITIMER_REAL, left)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, earlier)


def _raise_window_passed(_number: int, _frame: object) -> None:
    raise WindowPassedError


def format_duration(still: timedelta) -> str:
    """A time as people say it: "42 s", "7 min", "2 h 5 min"."""
    seconds = max(int(still.total_seconds()), 0)
    if seconds < 60:  # noqa: PLR2004 - seconds of a minute
        return f"{seconds} s"
    hours, minutes = divmod(seconds // 60, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
