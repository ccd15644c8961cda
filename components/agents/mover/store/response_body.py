"""An object's bytes as they come from a store, and how long to wait before something is tried again."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING, Final

from components.agents.mover.store import errors
from components.agents.mover.store.connection import Answer, ConnectionLostError
from components.agents.mover.store.object_headers import head_of

if TYPE_CHECKING:
    from components.agents.mover.store.s3_client import S3Store

ATTEMPTS: Final = 7  # of one request, together about 20 seconds of waiting
FIRST_WAIT: Final = 0.2  # seconds, doubled after each attempt
LONGEST_WAIT: Final = 8.0  # seconds


class S3Body:
    """Bytes of an object; a connection that breaks is opened again where it broke, if the object is still the same."""

    def __init__(self, store: S3Store, key: str, *, version: str, first: int, last: int, etag: str) -> None:
        self._store = store
        self._key = key
        self._version = version
        self._at = first
        self._last = last
        self._resumed = 0
        self._answer = self._open(etag)
        self.head = head_of(self._answer.headers)

    def read_into(self, buffer: memoryview) -> int:
        """See `shapes.Body`."""
        while True:
            try:
                count = self._store.take(self._answer, buffer)
            except ConnectionLostError as error:
                self._resumed += 1
                if self._resumed == ATTEMPTS or not self.head.etag:
                    what = f"GET of {errors.named(self._store.place, self._key)}"
                    raise errors.unreachable(self._store.place, what, str(error)) from None
                wait(self._resumed)
                self._answer = self._open(self.head.etag)
                continue
            self._at += count
            return count

    def close(self) -> None:
        """See `shapes.Body`."""
        self._store.give_back(self._answer)

    def _open(self, etag: str) -> Answer:
        ranged = f"bytes={self._at}-{self._last if self._last >= 0 else ''}" if self._at or self._last >= 0 else ""
        return self._store.read(self._key, version=self._version, ranged=ranged, etag=etag)


def wait(attempt: int) -> None:
    """Wait before the next attempt: longer each time, and not in step with others."""
    most = min(LONGEST_WAIT, FIRST_WAIT * 2 ** (attempt - 1))
    time.sleep(most * random.uniform(0.5, 1.0))  # noqa: S311 - only so that threads do not ask in step
