"""From a stack's folder to the facts of its handbook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from catalogs.catalog import load
from components.platform.building_blocks.artifact_mirror import shelf
from operations.handbook.context import Sources, gather
from operations.handbook.facts import Outputs
from operations.handbook.stack_outputs import read_outputs
from operations.project.accepted_lock import accepted_lock
from planning.checklist.reading.checklist_file import read_file

if TYPE_CHECKING:
    from pathlib import Path

    from operations.handbook.facts import Facts
    from operations.project.workspace import Project


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
