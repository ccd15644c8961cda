"""How many bytes all threads together may read in a second."""

from __future__ import annotations

import threading
import time
from typing import Final

MIB: Final = 2**20
BURST_SECONDS: Final = 0.25  # of bytes that may come at once after a pause


class Bandwidth:
    """A bucket of bytes that fills evenly; whoever takes more than is in it waits.

    Args:
        mib_per_s: what all threads may take together; None for all there is.
    """

    def __init__(self, mib_per_s: float | None) -> None:
        self._rate = None if mib_per_s is None else mib_per_s * MIB
        self._lock = threading.Lock()
        self._left = 0.0
        self._at = time.monotonic()

    def take(self, count: int) -> None:
        """Take so many bytes; returns when they may be read."""
        if self._rate is None:
            return
        with self._lock:
            now = time.monotonic()
            self._left = min(self._left + (now - self._at) * self._rate, self._rate * BURST_SECONDS) - count
            self._at = now
            wait = -self._left / self._rate
        if wait > 0:
            time.sleep(wait)
