"""How far a copy is, for whoever waits and for metrics."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

MIB: Final = 2**20
EVERY: Final = 5.0  # seconds between two lines


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """A moment of a round.

    Args:
        objects: versions copied, `size` their bytes.
        passed: objects that were found unchanged.
        rate: bytes in a second since the round began.
        remaining_seconds: at this rate; None where the whole is not known.
    """

    objects: int
    size: int
    passed: int
    seconds: float
    rate: float
    remaining_seconds: float | None = None

    def line(self) -> str:
        """One line for a person."""
        left = "" if self.remaining_seconds is None else f", about {self.remaining_seconds:,.0f} s left"
        return (
            f"{self.objects:,} objects, {self.size / MIB:,.0f} MiB copied, {self.passed:,} unchanged, "
            f"{self.rate / MIB:,.1f} MiB/s{left}"
        )


class Teller:
    """Tells it now and then.

    Args:
        expected: bytes of the whole, where the inventory knows them.
    """

    def __init__(
        self, say: Callable[[str], None], watch: Callable[[Progress], None] | None, *, expected: int | None
    ) -> None:
        self._say = say
        self._watch = watch
        self._expected = expected
        self._begun = time.monotonic()
        self._next = self._begun + EVERY

    @property
    def seconds(self) -> float:
        """Since the round began."""
        return time.monotonic() - self._begun

    def tell(self, *, objects: int, size: int, passed: int, passed_size: int, now: bool = False) -> None:
        """Tell it if it is time, or now."""
        if not now and time.monotonic() < self._next:
            return
        self._next = time.monotonic() + EVERY
        seconds = self.seconds
        rate = size / seconds if seconds else 0.0
        left = None if self._expected is None else max(0, self._expected - size - passed_size)
        remaining = None if left is None or not rate else left / rate
        told = Progress(
            objects=objects, size=size, passed=passed, seconds=seconds, rate=rate, remaining_seconds=remaining
        )
        self._say(told.line())
        if self._watch is not None:
            self._watch(told)
