"""Which rows an earlier file had too, in eight bytes a row."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from heapq import merge
from itertools import pairwise
from typing import Final, final

CHUNK: Final = 2**16


@final
class SeenRows:
    """Rows by what tells them apart.

    Args:
        twice: rows that an earlier file had too; they count once.
        repeated: rows that one file has more than once; they count each time, for hours may be equal.
        files: for each file what tells its rows, in order.
    """

    def __init__(self) -> None:
        self.twice = 0
        self.repeated = 0
        self.files: list[array[int]] = []
        self._here: array[int] = array("q")
        self._sorted: list[array[int]] = []

    def is_new(self, name: str) -> bool:
        """Whether no earlier file had this row; one without a name is new."""
        if not name:
            return True
        mark = hash(name)
        if any(_has(file, mark) for file in self.files):
            self.twice += 1
            return False
        self._here.append(mark)
        if len(self._here) >= CHUNK:
            self._sort()
        return True

    def _sort(self) -> None:
        """Put the latest rows in order; a few at a time, since sorting needs ten times the memory."""
        self._sorted.append(array("q", sorted(self._here)))
        self._here = array("q")

    def end_file(self) -> None:
        """From here on rows are of another file."""
        self._sort()
        ordered = array("q", merge(*self._sorted))
        self.repeated += sum(one == other for one, other in pairwise(ordered))
        self.files.append(ordered)
        self._sorted = []


def _has(ordered: array[int], mark: int) -> bool:
    at = bisect_left(ordered, mark)
    return at < len(ordered) and ordered[at] == mark
