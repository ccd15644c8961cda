"""One writer for a journal: a lock that ends with its process, and a lease that says whose it is."""

from __future__ import annotations

import fcntl
import json
import os
import socket
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, cast

from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Generator
    from datetime import datetime
    from pathlib import Path

NAME: Final = "writer.lock"
MODE: Final = 0o600
LONGEST: Final = 4096  # bytes of a lease that are read
WHAT: Final = "this relocation"
HINT: Final = "one at a time: wait for it, or stop it; `atoll relocate status` shows how far it is"


@contextmanager
def only_writer(folder: Path, *, at: datetime, what: str = WHAT, hint: str = HINT) -> Generator[None]:
    """Hold what is in a folder for as long as this lasts.

    Args:
        what: is held, in the words of a refusal.
        hint: what to do about it.

    Raises:
        InputError: another process holds it, in words that name it.
    """
    path = folder / NAME
    file = os.open(path, os.O_RDWR | os.O_CREAT, MODE)
    try:
        # By a lock of the system: it goes with its process, however that ends.
        _take(path, file, what=what, hint=hint)
        _write(file, json.dumps({"host": socket.gethostname(), "pid": os.getpid(), "since": at.isoformat()}))
        try:
            yield
        finally:
            _write(file, "")
    finally:
        os.close(file)


def holder(folder: Path) -> str:
    """The process that runs this relocation now, in words; "" for none. The lease is not taken over."""
    path = folder / NAME
    if not path.exists():
        return ""
    file = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _words(_lease(file))
    finally:
        os.close(file)
    return ""


def _take(path: Path, file: int, *, what: str, hint: str) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise InputError(
            f"{what} is being run by {_words(_lease(file))}",
            hint=hint,
        ) from error
    lease = _lease(file)
    if lease and lease.get("host") != socket.gethostname():
        raise InputError(
            f"{what} was last run by {_words(lease)}, which never said that it ended",
            hint=f"locks do not reach from host to host: once you know that it is dead, delete {path}",
        )


def _lease(file: int) -> dict[str, object]:
    try:
        found: object = json.loads(os.pread(file, LONGEST, 0))
    except ValueError:
        return {}
    return cast("dict[str, object]", found) if isinstance(found, dict) else {}


def _words(lease: dict[str, object]) -> str:
    if not lease:
        return "another process"
    return f"process {lease.get('pid')} on {lease.get('host')}, since {lease.get('since')}"


def _write(file: int, text: str) -> None:
    os.ftruncate(file, 0)
    os.pwrite(file, text.encode(), 0)
    os.fsync(file)
