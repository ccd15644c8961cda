"""From a stack's folder to the facts of its handbook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from catalogs.reader import load
from components.platform.shelf import shelf
from driver.accepted_lock import accepted_lock
from driver.handbook.facts import Outputs
from driver.handbook.gathering import Sources, gather
from driver.handbook.stack_outputs import read_outputs
from planning.checklist.reading import read_file

if TYPE_CHECKING:
    from pathlib import Path

    from driver.handbook.facts import Facts
    from driver.project import Project


def facts_of(project: Project, stack: str, *, outputs: Path | None = None) -> Facts:
    """The facts of a stack.

    Raises:
        InputError: no lock, a checklist that does not read, or outputs that are not this stack's.
    """
    lock = accepted_lock(project, stack)
    mirror = lock.spec.platform.mirror if lock.spec.platform is not None else ""
    return gather(
        Sources(
            lock=lock,
            checklist=read_file(project.checklist(stack)),
            catalog=load(),
            shelf=shelf(mirror, project=project.root),
            outputs=Outputs() if outputs is None else read_outputs(outputs, lock=lock),
        )
    )
