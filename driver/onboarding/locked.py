"""The lock of a stack, for a document that names both."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from driver.project import shown
from planning.errors import InputError
from planning.lock import read_lock

if TYPE_CHECKING:
    from driver.project import Project
    from planning.lock import Lock


def lock_of(project: Project, stack: str) -> Lock:
    """The lock of a stack.

    Raises:
        InputError: there is none, it cannot be read, or it is another stack's.
    """
    path = Path(shown(project.lock(stack)))
    lock = read_lock(path)
    if lock.stack != stack:
        raise InputError(
            f'{path}: it is the lock of "{lock.stack}"',
            hint=f"atoll accept {stack} OPTION writes its own, and atoll clone takes over another's",
        )
    return lock
