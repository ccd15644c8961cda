"""Files written whole: beside first, then renamed; several of them all or none."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

NEW_FILE_MODE: Final = 0o644


def write_all(texts: Mapping[Path, str]) -> None:
    """Write every text under its path, creating missing folders.

    Whatever stops it (a full disk, a read-only folder, Ctrl-C), each path then holds what it held before.

    Raises:
        OSError: a folder or file cannot be written.
    """
    waiting: dict[Path, Path] = {}
    made: list[Path] = []
    try:
        for path, text in texts.items():
            made.extend(_make_folder(path.parent))
            waiting[path.resolve()] = _beside(path.resolve(), text)
        _put_in_place(waiting)
    except BaseException:
        for beside in waiting.values():
            beside.unlink(missing_ok=True)
        for folder in reversed(made):
            with suppress(OSError):
                folder.rmdir()
        raise


def _make_folder(folder: Path) -> list[Path]:
    """Create a folder; those that were not there before, outermost first."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    return missing[::-1]


def _beside(path: Path, text: str) -> Path:
    """A finished, synced file next to `path`, gone again where it cannot be finished."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".new", dir=path.parent)
    beside = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        beside.chmod(path.stat().st_mode & 0o777 if path.exists() else NEW_FILE_MODE)
    except BaseException as fault:
        beside.unlink(missing_ok=True)
        if isinstance(fault, OSError) and not fault.filename:
            raise OSError(fault.errno, fault.strerror, str(path)) from fault
        raise
    return beside


def _put_in_place(waiting: Mapping[Path, Path]) -> None:
    """Rename every finished file; put back what was there when one of them cannot be renamed."""
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
    finally:
        for beside in waiting.values():
            beside.unlink(missing_ok=True)
    for folder in {path.parent for path in waiting}:
        _sync(folder)


def _restore(path: Path, content: bytes | None) -> None:
    with suppress(OSError):
        if content is None:
            path.unlink(missing_ok=True)
        elif path.read_bytes() != content:
            path.write_bytes(content)


def _sync(folder: Path) -> None:
    """Make the renames last; some file systems do not sync folders, and then there is nothing to do."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
