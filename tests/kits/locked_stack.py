"""A stack as `atoll accept` leaves it: the lock, and the configuration that names its option."""

from __future__ import annotations

from typing import TYPE_CHECKING

from operations.project.stack_config import with_accepted
from planning.spec.lock import LOCK_NAME, to_text

if TYPE_CHECKING:
    from pathlib import Path

    from planning.spec.lock import Lock


def write_locked(project: Path, lock: Lock) -> Path:
    """Write both into the stack's place in a project; the lock's path."""
    path = project / "stacks" / lock.stack / LOCK_NAME
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(to_text(lock), encoding="utf-8")
    config = project / "stacks" / f"Pulumi.{lock.stack}.yaml"
    config.write_text(with_accepted(config, option=lock.option), encoding="utf-8")
    return path
