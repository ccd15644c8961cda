"""Which rows an earlier file had too, in eight bytes a row."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from itertools import pairwise
from typing import final


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

    def is_new(self, name: str) -> bool:
        """Whether no earlier file had this row; one without a name is new."""
        if not name:
            return True
        mark = hash(name)
        if any(_has(file, mark) for file in self.files):
            self.twice += 1
            return False
        self._here.append(mark)
        return True

    def end_file(self) -> None:
        """From here on rows are of another file."""
        ordered = array("q", sorted(self._here))
        self.repeated += sum(one == other for one, other in pairwise(ordered))
        self.files.append(ordered)
        self._here = array("q")


def _has(ordered: array[int], mark: int) -> bool:
    at = bisect_left(ordered, mark)
    return at < len(ordered) and ordered[at] == mark
