"""Files written whole: beside first, then renamed; several of them all or none, whatever stops the writing."""

from __future__ import annotations

import fcntl
import glob
import os
import secrets
import shutil
import signal
import threading
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping
    from pathlib import Path

NEW_FILE_MODE: Final = 0o644
PRIVATE_MODE: Final = 0o600
SUFFIX: Final = ".new"
ENDINGS: Final = (signal.SIGTERM, signal.SIGHUP)


def write_all(texts: Mapping[Path, str], *, private: bool = False) -> None:
    """Write every text under its path, creating missing folders; `private`: readable by their owner alone.

    Whatever stops it (a full disk, a read-only folder, Ctrl-C), each path then holds what it held before. A signal that
    ends the process waits until all is in place, and what a killed process left beside a path is removed.

    Raises:
        OSError: a folder or file cannot be written.
    """
    waiting: dict[Path, Path] = {}
    made: list[Path] = []
    with signals_deferred(), ExitStack() as held:
        try:
            for path, text in texts.items():
                made.extend(_make_folder(path.parent))
                # What a killed process left beside the path would stay for ever.
                remove_abandoned(path.resolve())
                mode = PRIVATE_MODE if private else _mode_of(path.resolve())
                _write_beside(path.resolve(), text, mode=mode, waiting=waiting, held=held)
            _put_in_place(waiting)
        except BaseException:
            for beside in waiting.values():
                beside.unlink(missing_ok=True)
            for folder in reversed(made):
                with suppress(OSError):
                    folder.rmdir()
            raise


@contextmanager
def signals_deferred() -> Generator[None]:
    """While it lasts, SIGTERM and SIGHUP wait; the first that came is raised again after it."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may handle signals; what stops it does not stop this one
        return
    came: list[int] = []
    before = {each: signal.signal(each, lambda number, _frame: came.append(number)) for each in ENDINGS}
    try:
        yield
    finally:
        for each, action in before.items():
            signal.signal(each, action)
        if came:
            signal.raise_signal(came[0])


@contextmanager
def folder_beside(whole: Path) -> Generator[Path]:
    """An empty folder next to the one that is meant, gone again whatever happens but a rename."""
    remove_abandoned(whole)
    staged = beside_of(whole)
    with signals_deferred(), ExitStack() as held:
        held.callback(shutil.rmtree, staged, ignore_errors=True)
        staged.mkdir(mode=0o700)
        handle = os.open(staged, os.O_RDONLY)
        held.callback(os.close, handle)
        _lock(handle)
        yield staged


def beside_of(path: Path) -> Path:
    """A name next to a path under which what is written for it waits."""
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}{SUFFIX}")


def remove_abandoned(path: Path) -> None:
    """Remove temporary files of killed processes beside a path: those whose lock is free."""
    for left in path.parent.glob(f".{glob.escape(path.name)}.*{SUFFIX}"):
        with suppress(OSError):
            # The lock goes with its process: a file whose lock is free is nobody's any more.
            handle = os.open(left, os.O_RDONLY | os.O_NOFOLLOW)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(left) if left.is_dir() else left.unlink()
            finally:
                os.close(handle)


def _lock(handle: int) -> None:
    with suppress(OSError):  # some file systems have no locks
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _mode_of(path: Path) -> int:
    return path.stat().st_mode & 0o777 if path.exists() else NEW_FILE_MODE


def _make_folder(folder: Path) -> list[Path]:
    """Create a folder; those that were not there before, outermost first."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    return missing[::-1]


def _write_beside(path: Path, text: str, *, mode: int, waiting: dict[Path, Path], held: ExitStack) -> None:
    """A finished, synced file next to `path`, locked until it is in place; `waiting` names it before it exists.

    Raises:
        OSError: it cannot be written; names `path`.
    """
    beside = waiting[path] = beside_of(path)
    try:
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_MODE)
        held.callback(os.close, handle)
        # Locked until it is in place, or another process would take it for abandoned.
        _lock(handle)
        left = memoryview(text.encode("utf-8"))
        while left:
            left = left[os.write(handle, left) :]
        os.fsync(handle)
        beside.chmod(mode)
    except OSError as fault:
        if fault.filename in (None, str(beside)):
            raise OSError(fault.errno, fault.strerror, str(path)) from fault
        raise


def _put_in_place(waiting: Mapping[Path, Path]) -> None:
    """Rename every finished file; put back what was there when one of them cannot be renamed."""
    # Several renames are not one: what was there comes back where a later one fails.
    before = {path: path.read_bytes() if path.exists() else None for path in waiting}
    placed: list[Path] = []
    try:
        for path, beside in waiting.items():
            placed.append(path)
            beside.replace(path)
    except BaseException:
        for path in placed:
            _restore(path, before[path])
        raise
    for folder in {path.parent for path in waiting}:
        _sync(folder)


def _restore(path: Path, content: bytes | None) -> None:
    with suppress(OSError):
        if content is None:
            path.unlink(missing_ok=True)
        elif path.read_bytes() != content:
            path.write_bytes(content)


def _sync(folder: Path) -> None:
    """Make the renames last."""
    with suppress(OSError):
        # Some file systems do not sync folders, and then there is nothing to do.
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
