"""Manifests: every version of every object of a bucket in one sorted file, which tells when it was cut or edited.

One line of JSON for the file, one for each row, one with the counts and the SHA-256 of all that stands before.
"""

from __future__ import annotations

import glob
import gzip
import heapq
import json
import os
import shutil
import tempfile
import zlib
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import chain, count, pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, Self, TypeVar, cast

if TYPE_CHECKING:
    from _hashlib import HASH
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
    from types import TracebackType

    from components.agents.mover.store.model import Pairs

FORMAT: Final = 1
ZIPPED: Final = ".gz"
ENDS_WITHOUT: Final = "it ends without its last line: it was cut off"
UTF_8: Final = ("utf-8", "surrogatepass")  # a key that is no text survives too
RUN_BYTES: Final = 16 * 2**20  # lines kept in memory; as objects of Python they take about three times that
MERGED_AT_ONCE: Final = 64  # files open side by side
BUFFER: Final = 2**16  # bytes read ahead of each run
Key = tuple[str, int, int, int]  # the object's key and the version's order, then what is counted: size, deleted
SortKey = TypeVar("SortKey", str, tuple[str, int])
Left = TypeVar("Left")
Right = TypeVar("Right")
_to_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode
_to_sorted_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode


class ManifestError(Exception):
    """A manifest that cannot be written or trusted; the message names the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestRow:
    """One version of an object, with everything that a move must preserve.

    Args:
        order: 0 for what a plain read gets, 1 for the version before it, and so on: ids differ from store to store.
        deleted: a delete marker; it has no bytes and no digest.
        digest: own hash, see `scan.of_blocks`; "" where the bytes were not read.
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


def line_of(row: ManifestRow) -> bytes:
    proof = (row.key, row.order, row.size, int(row.deleted), row.digest, row.headers, row.metadata, row.tags)
    return f"{_to_json(proof)}\t{_to_json((row.etag, row.version))}\n".encode(*UTF_8)


def row_of(line: bytes) -> ManifestRow:
    """Parse a line.

    Raises:
        ValueError: it is none.
    """
    proof, _, own = line.decode(*UTF_8).partition("\t")
    key, order, size, deleted, digest, *pairs = json.loads(proof)
    headers, metadata, tags = (tuple((name, value) for name, value in each) for each in pairs)
    etag, version = json.loads(own)
    return ManifestRow(
        key=key,
        order=order,
        size=size,
        deleted=bool(deleted),
        digest=digest,
        headers=headers,
        metadata=metadata,
        tags=tags,
        etag=etag,
        version=version,
    )


def proof_of(line: bytes) -> list[object]:
    """The part of a line that must be equal on both sides, without etag and version.

    Raises:
        ValueError: it is no row.
    """
    return cast("list[object]", json.loads(line.partition(b"\t")[0].decode(*UTF_8)))


def sort_key_of(line: bytes) -> Key:
    """Sort key of a line."""
    # Text in Python sorts as its UTF-8 bytes do, and so as stores list keys.
    return cast("Key", tuple(proof_of(line)[:4]))


def align(
    left: Iterator[tuple[SortKey, Left]], right: Iterator[tuple[SortKey, Right]]
) -> Iterator[tuple[SortKey, Left | None, Right | None]]:
    """Merge two streams sorted by key: each key, with the value of either side."""
    one, other = next(left, None), next(right, None)
    while one is not None or other is not None:
        if other is None or (one is not None and one[0] < other[0]):
            one = cast("tuple[SortKey, Left]", one)
            yield one[0], one[1], None
            one = next(left, None)
        elif one is None or other[0] < one[0]:
            yield other[0], None, other[1]
            other = next(right, None)
        else:
            yield one[0], one[1], other[1]
            one, other = next(left, None), next(right, None)


class SortedLines:
    """External merge sort of lines; can be read once.

    Args:
        folder: where runs lie until they are merged; the caller makes and removes it.
    """

    def __init__(self, folder: Path, *, run_bytes: int) -> None:
        self._folder, self._run_bytes = folder, run_bytes
        self._waiting: list[tuple[Key, bytes]] = []
        self._waiting_bytes = 0
        self._runs: list[list[Path]] = [[]]  # by how often their lines were merged
        self._numbers = count()

    def add(self, key: Key, line: bytes) -> None:
        self._waiting.append((key, line))
        self._waiting_bytes += len(line)
        if self._waiting_bytes >= self._run_bytes:
            self._spill()

    def merge(self) -> Iterator[tuple[Key, bytes]]:
        """Every line in order, with its sort key."""
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
            yield from heapq.merge(*(((sort_key_of(line), line) for line in file) for file in files))
        for run in runs:
            run.unlink()


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Counts in a manifest's last line.

    Args:
        rows: versions and delete markers.
        objects: what a plain read finds.
        size: bytes of every version.
        sha256: of the file's lines, and of the counts.
    """

    rows: int = 0
    objects: int = 0
    size: int = 0
    sha256: str = ""


class ManifestWriter:
    """Writes a manifest from rows in any order, with few in memory; the file appears at `close` only.

    Args:
        path: zipped where it ends in ".gz".
        facts: what was read and how, for the first line.
    """

    def __init__(
        self, path: Path, *, bucket: str = "", facts: Mapping[str, object] | None = None, run_bytes: int = RUN_BYTES
    ) -> None:
        self._path, self._first = path, {"atoll_manifest": FORMAT, "bucket": bucket, "facts": dict(facts or {})}
        path.parent.mkdir(parents=True, exist_ok=True)
        for killed in path.parent.glob(f".{glob.escape(path.name)}.*.new"):  # a manifest has one writer
            shutil.rmtree(killed, ignore_errors=True)
        self._folder = Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".new", dir=path.parent))
        self._lines = SortedLines(self._folder, run_bytes=run_bytes)
        self._closed: Counts | None = None

    def add(self, row: ManifestRow) -> None:
        """Add a row, in any order; duplicates are merged."""
        self._lines.add((row.key, row.order, row.size, int(row.deleted)), line_of(row))

    def close(self) -> Counts:
        """Put the file in its place.

        Raises:
            ManifestError: two rows of one version differ.
            OSError: the file cannot be written.
        """
        if self._closed is not None:
            return self._closed
        try:
            beside = self._folder / "whole"
            with _writing(beside, zipped=self._path.suffix == ZIPPED) as write:
                counts = _write_lines(write, self._first, _once(self._path, self._lines.merge()))
            beside.replace(self._path)
        finally:
            self.abandon()
        self._closed = counts
        return counts

    def abandon(self) -> None:
        """Remove temporary files."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.abandon()


def _once(path: Path, lines: Iterable[tuple[Key, bytes]]) -> Iterator[tuple[Key, bytes]]:
    """Drop duplicate lines, as of a shard that was read twice."""
    last_line, last_key = b"", ("", -1)
    for key, line in lines:
        if line == last_line:
            continue
        if key[:2] == last_key:
            raise ManifestError(f"{path}: {key[0]!r} was told twice and differently: it changed while it was read")
        last_line, last_key = line, key[:2]
        yield key, line


def _write_lines(
    write: Callable[[bytes], object], first: Mapping[str, object], lines: Iterable[tuple[Key, bytes]]
) -> Counts:
    whole = sha256()
    rows = objects = size = 0
    head = f"{_to_sorted_json(first)}\n".encode()
    whole.update(head)
    write(head)
    for (_, order, held, deleted), line in lines:
        whole.update(line)
        write(line)
        rows, objects, size = rows + 1, objects + (order == 0 and not deleted), size + held
    counts = {"rows": rows, "objects": objects, "bytes": size}
    whole.update(_to_sorted_json(counts).encode())
    digest = whole.hexdigest()
    write(f"{_to_sorted_json({**counts, 'sha256': digest})}\n".encode())
    return Counts(rows=rows, objects=objects, size=size, sha256=digest)


@contextmanager
def _writing(path: Path, *, zipped: bool) -> Generator[Callable[[bytes], object]]:
    """Open a file that is synced to disk at the end."""
    with path.open("wb", buffering=2**18) as file:
        if zipped:
            # Neither name nor time in it: equal lines give equal bytes.
            with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0, compresslevel=6) as packed:
                yield packed.write
        else:
            yield file.write
        file.flush()
        os.fsync(file.fileno())


@dataclass(slots=True)
class Manifest:
    """A manifest, read once from its first line to its last.

    Args:
        bucket: what it is of; "" until the first line was read.
        facts: what was read and how.
        counts: what it holds; empty until its last line was read and believed.
    """

    path: Path
    bucket: str = ""
    facts: dict[str, object] = field(default_factory=dict[str, object])
    counts: Counts = field(default_factory=Counts)

    def begin(self) -> None:
        """Read the first line only.

        Raises:
            ManifestError: it is no manifest.
        """
        for _ in self.read_lines():
            return

    def read_lines(self) -> Iterator[bytes]:
        """Lines of the rows, checked.

        Raises:
            ManifestError: it is no manifest, or was cut or edited; told at the end at the latest.
        """
        try:
            with _reading(self.path) as file:
                yield from self._check_lines(file)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise ManifestError(f"{self.path}: {ENDS_WITHOUT} ({error})") from error
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise ManifestError(f"{self.path}: a line that is no row: {error}") from error
        except OSError as error:
            raise ManifestError(f"{self.path} cannot be read: {error.strerror or error}") from error

    def read_rows(self) -> Iterator[ManifestRow]:
        for line in self.read_lines():
            try:
                yield row_of(line)
            except (ValueError, TypeError) as error:
                raise ManifestError(f"{self.path}: a line that is no row: {error}") from error

    def _check_lines(self, file: IO[bytes]) -> Iterator[bytes]:
        whole = sha256()
        head = file.readline()
        self._begin(head)
        whole.update(head)
        for rows, (line, following) in enumerate(pairwise(chain(file, (b"",)))):
            if not following:
                self.counts = self._end(line, whole, rows=rows)
                return
            whole.update(line)
            yield line
        raise ManifestError(f"{self.path}: {ENDS_WITHOUT}")

    def _begin(self, line: bytes) -> None:
        first = _object_of(line)
        if "atoll_manifest" not in first:
            raise ManifestError(f"{self.path}: not a manifest")
        if first["atoll_manifest"] != FORMAT:
            raise ManifestError(f"{self.path}: format {first['atoll_manifest']}, this Atoll reads {FORMAT}")
        self.bucket, self.facts = str(first["bucket"]), cast("dict[str, object]", first["facts"])

    def _end(self, line: bytes, whole: HASH, *, rows: int) -> Counts:
        if not line.startswith(b"{") or not line.endswith(b"}\n"):
            raise ManifestError(f"{self.path}: {ENDS_WITHOUT}")
        last = cast("dict[str, int]", _object_of(line))
        if last["rows"] != rows:
            raise ManifestError(f"{self.path}: {last['rows']} rows were written, {rows} are there: it was edited")
        written = str(last.pop("sha256"))
        whole.update(_to_sorted_json(last).encode())
        if whole.hexdigest() != written:
            raise ManifestError(f"{self.path}: its lines are not those that were written: it was edited")
        return Counts(rows=rows, objects=last["objects"], size=last["bytes"], sha256=written)


def _reading(path: Path) -> IO[bytes]:
    if path.suffix == ZIPPED:
        return cast("IO[bytes]", gzip.open(path, "rb"))
    return path.open("rb", buffering=2**18)


def _object_of(line: bytes) -> dict[str, object]:
    read = json.loads(line) if line.startswith(b"{") else None
    return cast("dict[str, object]", read) if isinstance(read, dict) else {}


def write_json(path: Path, what: Mapping[str, object]) -> None:
    """Write canonical JSON beside the path, then rename: a reader finds all of it or what was there before.

    Raises:
        OSError: it cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, beside = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".new", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="ascii", newline="\n") as file:
            file.write(json.dumps(what, indent=2, sort_keys=True) + "\n")
            file.flush()
            os.fsync(file.fileno())
        Path(beside).replace(path)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise
