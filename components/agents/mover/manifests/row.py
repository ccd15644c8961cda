"""A manifest's row: everything of one version of an object that a move must not lose."""

from __future__ import annotations

import heapq
import json
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from pathlib import Path

    from components.agents.mover.store.model import Pairs


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestRow:
    """One version of an object.

    Args:
        order: 0 for what a plain read gets, 1 for the version before it, and so on: ids differ from store to store.
        deleted: a delete marker; it has no bytes and no digest.
        digest: own hash, see `block_hash`; "" where the bytes were not read.
        headers: system metadata, content-type among it.
        metadata: the user's own.
        etag: of its own store, only to tell that it was changed since; never compared between stores.
        version: id at its own store; never compared between stores.
    """

    key: str
    size: int
    order: int = 0
    deleted: bool = False
    digest: str = ""
    headers: Pairs = ()
    metadata: Pairs = ()
    tags: Pairs = ()
    etag: str = ""
    version: str = ""


UTF_8: Final = ("utf-8", "surrogatepass")  # a key that is no text survives too
_to_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode


def line_of(row: ManifestRow) -> bytes:
    """A row's line, with its end."""
    proof = (row.key, row.order, row.size, int(row.deleted), row.digest, row.headers, row.metadata, row.tags)
    return f"{_to_json(proof)}\t{_to_json((row.etag, row.version))}\n".encode(*UTF_8)


def row_of(line: bytes) -> ManifestRow:
    """The row of a line.

    Raises:
        ValueError: it is none.
    """
    proof, _, own = line.decode(*UTF_8).partition("\t")
    key, order, size, deleted, digest, headers, metadata, tags = json.loads(proof)
    etag, version = json.loads(own)
    return ManifestRow(
        key=key,
        order=order,
        size=size,
        deleted=bool(deleted),
        digest=digest,
        headers=_pairs(headers),
        metadata=_pairs(metadata),
        tags=_pairs(tags),
        etag=etag,
        version=version,
    )


def proof_of(line: bytes) -> bytes:
    """The part of a line that must be equal on both sides."""
    return line.partition(b"\t")[0]


def sort_key_of(line: bytes) -> Key:
    """What lines are sorted by; text in Python sorts as its UTF-8 bytes do."""
    key, order, size, deleted = json.loads(proof_of(line).decode(*UTF_8))[:4]
    return key, order, size, deleted


def _pairs(read: list[list[str]]) -> Pairs:
    return tuple((name, value) for name, value in read)


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
