"""Where things are: the project above the working directory, its stacks, and what a STACK or FILE argument means."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from planning.spec.lock import CHECKLIST_NAME, LOCK_NAME
from planning.values.errors import InputError

LAW_NAME: Final = "policies.yaml"
PROJECT_FILE: Final = "Pulumi.yaml"
STACKS: Final = "stacks"
STACK_NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,62}")
NAME_RULE: Final = "lower case letters, digits and dashes, starting with a letter"
CHECKLIST_SUFFIXES: Final = (".yaml", ".yml")
NAMES_SHOWN: Final = 12


@dataclass(frozen=True, slots=True)
class Project:
    """A folder with Pulumi.yaml and stacks/."""

    root: Path

    @property
    def stacks(self) -> Path:
        """Folder of every stack."""
        return self.root / STACKS

    @property
    def known(self) -> tuple[str, ...]:
        """Names of stacks that have a checklist or a lock, sorted."""
        found = {path.parent.name for name in (CHECKLIST_NAME, LOCK_NAME) for path in self.stacks.glob(f"*/{name}")}
        return tuple(sorted(found))

    def checklist(self, stack: str) -> Path:
        """The checklist of a stack, which need not be there."""
        return self.stacks / stack / CHECKLIST_NAME

    def lock(self, stack: str) -> Path:
        """The lock of a stack, which need not be there."""
        return self.stacks / stack / LOCK_NAME

    @property
    def law(self) -> Path:
        """Settings of the rules and exemptions, which need not be there."""
        return self.stacks / LAW_NAME

    def stack_config(self, stack: str) -> Path:
        return self.stacks / f"Pulumi.{stack}.yaml"


@dataclass(frozen=True, slots=True)
class StackRef:
    """What a command is about: a stack's name and its checklist."""

    stack: str
    checklist: Path


def find_project(start: Path | None = None) -> Project:
    """The nearest project at or above `start`, by default the working directory.

    Raises:
        InputError: there is none.
    """
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        if (folder / PROJECT_FILE).is_file():
            return Project(folder)
    raise InputError(
        f"no Atoll project at or above {here}",
        hint=f"go to the folder with {PROJECT_FILE}, or name a checklist file instead of a stack",
    )


def require_stack(name: str) -> Project:
    """The project, once `name` is one of its stacks.

    Raises:
        InputError: no such stack; lists those there are, and the one that was probably meant. Or its folder has a
            name that no cloud takes, or is a link, by which two stacks would share one lock.
    """
    project = find_project()
    if name not in project.known:
        raise _unknown(name, project.known)
    folder = project.stacks / name
    if not STACK_NAME.fullmatch(name):
        raise InputError(
            f"{display_path(folder)}: {name!r} cannot name a stack", hint=f"rename the folder: {NAME_RULE}"
        )
    if folder.is_symlink():
        raise InputError(
            f"{display_path(folder)} is a link to {folder.resolve()}: two stacks would share one lock",
            hint="copy the checklist into a folder of its own, or use atoll clone",
        )
    return project


def resolve_stack(stack_or_file: str) -> StackRef:
    """What STACK or FILE names.

    Raises:
        InputError: no such stack.
    """
    if not _is_file(stack_or_file):
        return StackRef(stack_or_file, require_stack(stack_or_file).checklist(stack_or_file))
    path = Path(stack_or_file)
    name = path.resolve().parent.name if path.name == CHECKLIST_NAME else path.stem
    return StackRef(name, path)


def new_stack(name: str) -> Project:
    """The project, once `name` can become a stack of it.

    Raises:
        InputError: not a stack's name, or a checklist is already there.
    """
    if not STACK_NAME.fullmatch(name):
        raise InputError(f"{name!r} cannot name a stack", hint=NAME_RULE)
    project = find_project()
    path = project.checklist(name)
    if path.exists():
        raise InputError(f"{display_path(path)} is already there", hint="edit it, or choose another name")
    return project


def display_path(path: Path) -> str:
    """A path as short as it can be said from the working directory."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_absolute() and path.is_relative_to(here) else str(path)


def _is_file(text: str) -> bool:
    return os.sep in text or text.endswith(CHECKLIST_SUFFIXES)


def _unknown(name: str, known: tuple[str, ...]) -> InputError:
    if not known:
        return InputError(f"there is no stack {name!r}: this project has none yet", hint="atoll init NAME makes one")
    near = get_close_matches(name, known, n=1)
    more = f" and {len(known) - NAMES_SHOWN} more" if len(known) > NAMES_SHOWN else ""
    listed = ", ".join(known[:NAMES_SHOWN]) + more
    return InputError(
        f"there is no stack {name!r}; there are: {listed}", hint=f'did you mean "{near[0]}"?' if near else ""
    )
