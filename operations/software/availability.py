"""Whether the software that a checklist asks for is there: in the mirror's folder, and pinned as it wants."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from components.platform.building_blocks.artifact_mirror import (
    LOCK_HINT,
    MIRROR_HINT,
    describe_mirror_faults,
    describe_missing_digests,
    read_artifact_mirror,
)
from operations.project.workspace import find_project
from planning.inputs.faults import SourceText, locate, spell
from planning.inputs.files import read_text
from planning.inputs.yaml_nodes import Fields, compose
from planning.platform.component_selection import choose
from planning.values.errors import InputError, format_fault_count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.checklist.model.checklist import Checklist
    from planning.values.errors import Fault

MIRROR: Final = ("platform", "mirror")
DIGESTS: Final = ("platform", "digests")


def refuse_unfit(file: Path, checklist: Checklist) -> None:
    """Stop where the mirror lacks something, or a digest that is required is not resolved.

    Raises:
        InputError: every such fault, with the checklist's line.
    """
    asked = checklist.platform
    if not asked.mirror and asked.digests == "shown":
        return
    faults = list(_faults(file, checklist))
    if faults:
        raise InputError(f"{file}: {format_fault_count(faults)}", faults=faults)


def _faults(file: Path, checklist: Checklist) -> Iterator[Fault]:
    asked = checklist.platform
    parts = choose(checklist).chosen
    text = read_text(file)
    found = read_artifact_mirror(asked.mirror or "", project=_project(file))
    said = ((MIRROR, describe_mirror_faults(parts, found), MIRROR_HINT),)
    if asked.digests == "required":
        said = (*said, (DIGESTS, describe_missing_digests(parts, found), LOCK_HINT))
    for path, message, hint in said:
        if message:
            yield _build_fault(text, file=str(file), path=path, message=message, hint=hint)


def _build_fault(text: str, *, file: str, path: tuple[str, ...], message: str, hint: str) -> Fault:
    root, _ = compose(text)
    source = SourceText(file=file, lines=text.splitlines())
    if not isinstance(root, Fields):
        raise InputError(f"{file}: {message}", hint=hint)
    return source.build_fault(message, place=locate(root, path), hint=hint, path=spell(path))


def _project(file: Path) -> Path:
    """The project above a checklist; the working directory where there is none."""
    try:
        return find_project(file.resolve().parent).root
    except InputError:
        return Path.cwd()
