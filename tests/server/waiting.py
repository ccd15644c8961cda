"""Waiting for what a server says of itself: one generous deadline, and what was seen last where it never comes."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Seen = TypeVar("Seen")

WITHIN: Final = 300.0  # seconds; only a failure takes as long, for a machine may be many times as busy as it is idle
EVERY: Final = 0.1
LONGEST_SHOWN: Final = 3000


def wait_until(
    look: Callable[[], Seen], reached: Callable[[Seen], Any] = bool, *, what: str, seconds: float = WITHIN
) -> Seen:
    """Look until what is seen is as wanted, and return it.

    Args:
        what: is waited for, in words.

    Raises:
        AssertionError: it never came; says what was seen last.
    """
    until = time.monotonic() + seconds
    while not reached(seen := look()):
        if time.monotonic() > until:
            raise AssertionError(f"not within {seconds:.0f} s: {what}; last seen: {seen!s:.{LONGEST_SHOWN}}")
        time.sleep(EVERY)
    return seen
