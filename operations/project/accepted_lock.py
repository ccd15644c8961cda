"""The lock of a stack, once everything that says what is accepted says the same."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from operations.project.stack_config import read_config, refuse_stack_keys
from operations.project.workspace import display_path
from planning.spec.lock import ACCEPTED_KEY, LOCK_NAME, read_lock, refuse_other_option
from planning.values.errors import InputError

if TYPE_CHECKING:
    from operations.project.workspace import Project
    from planning.spec.lock import Lock


def read_stack_lock(project: Project, stack: str) -> Lock:
    """The lock of a stack: for what is done to a cluster that runs, whatever was accepted since.

    Raises:
        InputError: there is none, it cannot be read, or it is another stack's.
    """
    return read_lock(Path(display_path(project.lock(stack))), stack=stack)


def read_accepted_lock(project: Project, stack: str, *, names: bool = True) -> Lock:
    """The lock of a stack: for what is planned, built or signed.

    Args:
        names: whether pools and users that its configuration names must be there; `atoll preflight` says so itself.

    Raises:
        InputError: as `own_lock`, or the stack's configuration is missing, names another option or has unknown keys.
    """
    lock = read_stack_lock(project, stack)
    path = project.stack_config(stack)
    if not path.exists():
        raise InputError(
            f"{display_path(path)} is missing, and {LOCK_NAME} of {stack} holds {lock.option}: "
            "nothing says that it is built",
            hint=f"atoll accept {stack} {lock.option} writes both; or restore both from version control",
        )
    values = read_config(path).values
    refuse_other_option(lock, accepted=values.get(ACCEPTED_KEY), file=display_path(path))
    refuse_stack_keys(values, lock, path=path, names=names)
    return lock
