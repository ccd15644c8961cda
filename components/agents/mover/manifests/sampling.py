"""Whose bytes are read, and which shard an object belongs to: drawn from its key, so the same everywhere."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Final

ALL: Final = 100  # percent
_DRAWS: Final = 2**64


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A share of whole objects, in all their versions; both sides draw the same ones, in any order, in any shard.

    An object of no bytes is always read. Chance decides on the others, so a few huge ones can miss the share that was
    asked by much: reports say how many bytes were read, not how many were asked.

    Args:
        percent: of the objects; 100 for every one.
        seed: what the draw hangs on, written into the report so that it can be drawn again.
    """

    percent: int = ALL
    seed: str = ""

    def reads(self, key: str, size: int) -> bool:
        """Whether the bytes of an object are read."""
        if self.percent >= ALL or size == 0:
            return True
        return _drawn(f"sample:{self.seed}:{key}") * ALL < self.percent * _DRAWS


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """One of several parts of a bucket that together are all of it.

    Args:
        index: from 0.
        of: how many there are.
    """

    index: int = 0
    of: int = 1

    def holds(self, key: str) -> bool:
        """Whether a key belongs to it."""
        return self.of == 1 or _drawn(f"shard:{key}") % self.of == self.index


def _drawn(text: str) -> int:
    return int.from_bytes(sha256(text.encode("utf-8", "surrogatepass")).digest()[:8], "big")
