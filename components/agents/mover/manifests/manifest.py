"""Manifests: every version of every object of a bucket in one sorted file, which tells when it was cut or edited.

One line of JSON for the file, one for each row, one with the counts and the SHA-256 of all that stands before.
"""

from __future__ import annotations

import glob
import gzip
import json
import os
import shutil
import tempfile
import zlib
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import chain, pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, Self, cast

from components.agents.mover.manifests.row import RUN_BYTES, SortedLines, line_of, row_of, sort_key_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
    from types import TracebackType

    from components.agents.mover.manifests.row import Key, ManifestRow

FORMAT: Final = 1
ZIPPED: Final = ".gz"
ENDS_WITHOUT: Final = "it ends without its last line: it was cut off"
_to_sorted_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode


class ManifestError(Exception):
    """A manifest that cannot be written or believed. The message names the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What a manifest says of itself.

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
    """Writes a manifest: rows in any order, few of them in memory; the file is there at `close`, or not at all.

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
        self._lines = SortedLines(self._folder, key_of=sort_key_of, run_bytes=run_bytes)
        self._closed: Counts | None = None

    def add(self, row: ManifestRow) -> None:
        """One row, in any order; the same row again is the same row."""
        self._lines.add((row.key, row.order, row.size, int(row.deleted)), line_of(row))

    def close(self) -> Counts:
        """Put the file in its place; what it holds.

        Raises:
            ManifestError: two rows of one version differ.
            OSError: the file cannot be written.
        """
        if self._closed is not None:
            return self._closed
        try:
            beside = self._folder / "whole"
            with _writing(beside, zipped=self._path.suffix == ZIPPED) as write:
                counts = _write_lines(write, self._first, _once(self._path, self._lines.merged()))
            beside.replace(self._path)
        finally:
            self.abandon()
        self._closed = counts
        return counts

    def abandon(self) -> None:
        """Leave nothing behind but a manifest that was closed."""
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
    """Each line once, for a shard that was read again tells the same."""
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
    told = {"rows": rows, "objects": objects, "bytes": size}
    whole.update(_to_sorted_json(told).encode())
    digest = whole.hexdigest()
    write(f"{_to_sorted_json({**told, 'sha256': digest})}\n".encode())
    return Counts(rows=rows, objects=objects, size=size, sha256=digest)


@contextmanager
def _writing(path: Path, *, zipped: bool) -> Generator[Callable[[bytes], object]]:
    """A file that lies on the disk at the end; the same bytes for the same lines."""
    with path.open("wb", buffering=2**18) as file:
        if zipped:
            with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0, compresslevel=6) as packed:
                yield packed.write
        else:
            yield file.write
        file.flush()
        os.fsync(file.fileno())


@dataclass(slots=True)
class Manifest:
    """A manifest that is read from its first line to its last, once.

    Args:
        path: of the file.
        bucket: what it is of; "" until the first line was read.
        facts: what was read and how.
        counts: what it holds; None until its last line was read and believed.
    """

    path: Path
    bucket: str = ""
    facts: dict[str, object] = field(default_factory=dict[str, object])
    counts: Counts | None = None

    def begin(self) -> None:
        """Read the first line alone.

        Raises:
            ManifestError: it is no manifest.
        """
        for _ in self.lines():
            return

    def lines(self) -> Iterator[bytes]:
        """Every row's line.

        Raises:
            ManifestError: it is no manifest, or was cut or edited; told at the end at the latest.
        """
        try:
            with _reading(self.path) as file:
                yield from self._checked(file)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise ManifestError(f"{self.path}: {ENDS_WITHOUT} ({error})") from error
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise ManifestError(f"{self.path}: a line that is no row: {error}") from error
        except OSError as error:
            raise ManifestError(f"{self.path} cannot be read: {error.strerror or error}") from error

    def rows(self) -> Iterator[ManifestRow]:
        """Every row, as `lines`."""
        for line in self.lines():
            try:
                yield row_of(line)
            except (ValueError, TypeError) as error:
                raise ManifestError(f"{self.path}: a line that is no row: {error}") from error

    def _checked(self, file: IO[bytes]) -> Iterator[bytes]:
        whole = sha256()

        def digest_with(end: bytes) -> str:
            whole.update(end)
            return whole.hexdigest()

        head = file.readline()
        self._begin(head)
        whole.update(head)
        for rows, (line, following) in enumerate(pairwise(chain(file, (b"",)))):
            if not following:
                self.counts = self._end(line, rows=rows, digest_with=digest_with)
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

    def _end(self, line: bytes, *, rows: int, digest_with: Callable[[bytes], str]) -> Counts:
        if not line.startswith(b"{") or not line.endswith(b"}\n"):
            raise ManifestError(f"{self.path}: {ENDS_WITHOUT}")
        last = cast("dict[str, int]", _object_of(line))
        if last["rows"] != rows:
            raise ManifestError(f"{self.path}: {last['rows']} rows were written, {rows} are there: it was edited")
        written = str(last.pop("sha256"))
        digest = digest_with(_to_sorted_json(last).encode())
        if digest != written:
            raise ManifestError(f"{self.path}: its lines are not those that were written: it was edited")
        return Counts(rows=rows, objects=last["objects"], size=last["bytes"], sha256=digest)


def rows(path: Path) -> Iterator[ManifestRow]:
    """Every row of a manifest, in the order of keys and versions.

    Raises:
        ManifestError: it is no manifest, or was cut or edited; told at the end at the latest.
    """
    return Manifest(path).rows()


def _reading(path: Path) -> IO[bytes]:
    if path.suffix == ZIPPED:
        return cast("IO[bytes]", gzip.open(path, "rb"))
    return path.open("rb", buffering=2**18)


def _object_of(line: bytes) -> dict[str, object]:
    read = json.loads(line) if line.startswith(b"{") else None
    return cast("dict[str, object]", read) if isinstance(read, dict) else {}
