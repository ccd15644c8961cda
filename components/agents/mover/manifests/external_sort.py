"""Sorting of more lines than fit in memory: sorted runs on disk, merged when they are read."""

from __future__ import annotations

import heapq
from contextlib import ExitStack
from itertools import count
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from pathlib import Path

RUN_BYTES: Final = 16 * 2**20  # lines kept in memory; as objects of Python they take about three times that
MERGED_AT_ONCE: Final = 64  # files open side by side
BUFFER: Final = 2**16  # bytes read ahead of each run

Key = tuple[str, int, int, int]  # the object's key and the version's order, then what is counted: size, deleted


class SortedLines:
    """Lines in any order in, sorted lines out, once.

    Args:
        folder: where runs lie until they are merged; the caller makes and removes it.
        key_of: what a line is sorted by.
    """

    def __init__(self, folder: Path, *, key_of: Callable[[bytes], Key], run_bytes: int = RUN_BYTES) -> None:
        self._folder, self._key_of, self._run_bytes = folder, key_of, run_bytes
        self._waiting: list[tuple[Key, bytes]] = []
        self._waiting_bytes = 0
        self._runs: list[list[Path]] = [[]]  # by how often their lines were merged
        self._numbers = count()

    def add(self, key: Key, line: bytes) -> None:
        """One line, with its end."""
        self._waiting.append((key, line))
        self._waiting_bytes += len(line)
        if self._waiting_bytes >= self._run_bytes:
            self._spill()

    def merged(self) -> Iterator[tuple[Key, bytes]]:
        """Every line in order, and what it was sorted by."""
        if not any(self._runs):  # nothing had to be spilled
            self._waiting.sort()
            yield from self._waiting
            return
        self._spill()
        yield from self._merge([run for level in self._runs for run in level])

    def _spill(self) -> None:
        if not self._waiting:
            return
        self._waiting.sort()
        self._keep((line for _, line in self._waiting), level=0)
        self._waiting, self._waiting_bytes = [], 0
        for level, runs in enumerate(self._runs):
            if len(runs) >= MERGED_AT_ONCE:
                self._keep((line for _, line in self._merge(runs)), level=level + 1)
                self._runs[level] = []

    def _keep(self, lines: Iterable[bytes], *, level: int) -> None:
        path = self._folder / f"run-{next(self._numbers)}"
        with path.open("wb", buffering=BUFFER) as file:
            file.writelines(lines)
        if level == len(self._runs):
            self._runs.append([])
        self._runs[level].append(path)

    def _merge(self, runs: list[Path]) -> Generator[tuple[Key, bytes]]:
        with ExitStack() as stack:
            files = [stack.enter_context(run.open("rb", buffering=BUFFER)) for run in runs]
            yield from heapq.merge(*(((self._key_of(line), line) for line in file) for file in files))
        for run in runs:
            run.unlink()
