"""Many small files: made, read and removed, each kept for good before the next, as installing an environment does."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

IN_A_FOLDER: Final = 1000


@dataclass(frozen=True)
class Took:
    """Seconds for all files."""

    create: float
    read: float
    remove: float


def measure(folder: Path, *, files: int, size: int, clock: Callable[[], float] = time.monotonic) -> Took:
    """Make, read and remove so many files of so many bytes in an empty folder.

    What was read is not in memory where the system lets it be dropped; on a network it may still be at the server.

    Raises:
        OSError: the file system refuses.
    """
    content = os.urandom(size)
    paths = [folder / f"{number // IN_A_FOLDER}" / f"{number}.py" for number in range(files)]
    moments = [clock()]
    for path in paths:
        path.parent.mkdir(exist_ok=True)
        _make(path, content)
    moments.append(clock())
    for path in paths:
        path.read_bytes()
    moments.append(clock())
    for path in paths:
        path.unlink()
    moments.append(clock())
    return Took(create=moments[1] - moments[0], read=moments[2] - moments[1], remove=moments[3] - moments[2])


def _make(path: Path, content: bytes) -> None:
    opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(opened, content)
        os.fsync(opened)
        os.posix_fadvise(opened, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(opened)
