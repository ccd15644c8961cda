"""What this move wrote at the target, on disk before and after it is done: what a killed copy goes on from.

A key is intended on disk before anything of it is written at the target, and written down after. So what lies at the
target is ours if it is in here, and somebody else's if it is not. SQLite keeps it: a torn end is rolled back by it, and
a million objects need no memory.
"""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final, Self

from components.agents.mover.store.model import BucketEndpoint, StoreError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator
    from pathlib import Path


NAME: Final = "ledger.sqlite3"
PAGE: Final = 1000  # rows read at once
UTF_8: Final = ("utf-8", "surrogatepass")
SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS pair (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS intended (key BLOB PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS written (
    key BLOB NOT NULL, number INTEGER NOT NULL, version TEXT NOT NULL, etag TEXT NOT NULL, size INTEGER NOT NULL,
    modified REAL NOT NULL, target_etag TEXT NOT NULL, target_version TEXT NOT NULL, target_time REAL NOT NULL,
    deleted INTEGER NOT NULL, line BLOB NOT NULL, PRIMARY KEY (key, number)
) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """One version that was written to the target.

    Args:
        number: 0 for the oldest version of its key, or the only one.
        etag: at the source, as are version, size and modified.
        target_time: the target's clock when it was written.
        line: its row, see `manifests.row_text`.
    """

    key: str
    number: int = 0
    version: str
    etag: str
    size: int
    modified: float
    target_etag: str
    target_version: str
    target_time: float
    deleted: bool = False
    line: bytes


class CopyLedger:
    """Ledger of one bucket's copy, for one thread and one copy at a time.

    Raises:
        StoreError: another copy has it open, it is of other buckets, or it is no ledger any more.
    """

    def __init__(self, folder: Path, *, source: BucketEndpoint, target: BucketEndpoint, versions: bool) -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._path = folder / NAME
        pair = {
            "source": f"{source.endpoint}/{source.bucket}",
            "target": f"{target.endpoint}/{target.bucket}",
            "versions": str(versions),
        }
        self._rows = sqlite3.connect(self._path, isolation_level=None, timeout=1)
        try:
            self._rows.execute("PRAGMA locking_mode=EXCLUSIVE")
            self._rows.execute("PRAGMA journal_mode=WAL")
            self._rows.execute("PRAGMA synchronous=FULL")
            self._rows.executescript(SCHEMA)
            self._rows.executemany("INSERT OR IGNORE INTO pair VALUES (?, ?)", pair.items())
            found = dict(self._rows.execute("SELECT name, value FROM pair"))
        except sqlite3.Error as error:
            self._rows.close()
            raise self._translate_error(error) from None
        if found != pair:
            self._rows.close()
            told = ", ".join(f"{name} {found.get(name)} and not {value}" for name, value in pair.items())
            raise StoreError(f"{self._path} is the ledger of another copy: {told}", code="OtherLedger")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._rows.close()

    def intend(self, keys: Iterable[str]) -> None:
        """Record keys before anything of them is written."""
        with self._open_transaction():
            self._rows.executemany("INSERT OR IGNORE INTO intended VALUES (?)", ((_bytes(key),) for key in keys))

    def list_intended(self) -> list[str]:
        """Keys that were begun and not recorded as written: whatever the target has of them is ours."""
        return [_key(key) for (key,) in self._rows.execute("SELECT key FROM intended ORDER BY key")]

    def record_written(self, rows: Iterable[Written], *, done: Iterable[str]) -> None:
        """Record every version of these keys at the target, and close their intent."""
        whole = [
            (
                *(_bytes(each.key), each.number, each.version, each.etag, each.size, each.modified),
                *(each.target_etag, each.target_version, each.target_time, each.deleted, each.line),
            )
            for each in rows
        ]
        several = [(_bytes(key),) for key in done]
        with self._open_transaction():
            self._rows.executemany("DELETE FROM written WHERE key = ?", several)
            self._rows.executemany("INSERT INTO written VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", whole)
            self._rows.executemany("DELETE FROM intended WHERE key = ?", several)

    def forget(self, keys: Iterable[str]) -> None:
        """Remove keys that are no longer at the target, or no longer ours."""
        several = [(_bytes(key),) for key in keys]
        with self._open_transaction():
            self._rows.executemany("DELETE FROM written WHERE key = ?", several)
            self._rows.executemany("DELETE FROM intended WHERE key = ?", several)

    def group_by_key(self) -> Iterator[tuple[str, tuple[Written, ...]]]:
        """Every key with its versions, oldest first, in the order of the keys' bytes."""
        for key, rows in groupby(self._read_written(), lambda each: each.key):
            yield key, tuple(rows)

    def _read_written(self) -> Iterator[Written]:
        after = (b"", -1)
        text = "SELECT * FROM written WHERE (key, number) > (?, ?) ORDER BY key, number LIMIT ?"
        while page := self._rows.execute(text, (*after, PAGE)).fetchall():
            for key, number, version, etag, size, modified, *target, deleted, line in page:
                yield Written(
                    key=_key(key),
                    number=number,
                    version=version,
                    etag=etag,
                    size=size,
                    modified=modified,
                    target_etag=target[0],
                    target_version=target[1],
                    target_time=target[2],
                    deleted=bool(deleted),
                    line=line,
                )
            after = (page[-1][0], page[-1][1])

    @contextmanager
    def _open_transaction(self) -> Generator[None]:
        """One transaction.

        Raises:
            StoreError: it cannot be written.
        """
        try:
            self._rows.execute("BEGIN IMMEDIATE")
            yield
            self._rows.execute("COMMIT")
        except sqlite3.Error as error:
            with suppress(sqlite3.Error):
                self._rows.execute("ROLLBACK")
            raise self._translate_error(error) from None

    def _translate_error(self, error: sqlite3.Error) -> StoreError:
        if "locked" in str(error):
            return StoreError(f"{self._path}: another copy of this bucket runs", code="Locked")
        return StoreError(f"{self._path} cannot be used as a ledger: {error}", code="BrokenLedger")


def _bytes(key: str) -> bytes:
    return key.encode(*UTF_8)


def _key(found: bytes) -> str:
    return found.decode(*UTF_8)
