"""Which stacks a change can move: digests of all that a stack hangs on, from the ids that git gives to files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from operations.project.workspace import LAW_NAME, STACK_NAME, STACKS
from planning.platform.digests import LOCK_NAME as SOFTWARE_NAME
from planning.spec.lock import CHECKLIST_NAME, LOCK_NAME

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# What runs a program: its resources are the same while these and the stack's own files are.
PROGRAM: Final = ("components/", "planning/", "catalogs/", "operations/offline/")
PROGRAM_FILES: Final = (
    f"{STACKS}/__main__.py",
    f"{STACKS}/__init__.py",
    "operations/plans/plan_form.py",
    "operations/project/stack_config.py",
    "requirements.lock",
    "Pulumi.yaml",
)
# Of these, what no program imports: a command makes its Jobs while data moves.
MOVER: Final = "components/agents/mover/"
# Of these, what no program reads: components know the catalog of software alone.
PRICE_FILE: Final = re.compile(r"catalogs/(books/.*|checked\.json|sources\.csv|[a-z]+/(prices|second_source)\.csv)")
# What prices and judges the resources on top.
JUDGES: Final = ("policies/", "operations/diff/")
JUDGE_FILES: Final = (
    f"{STACKS}/{LAW_NAME}",
    f"{STACKS}/{SOFTWARE_NAME}",
    "operations/plans/price_book.py",
)
# The same in trees from before `operations/` and `cli/`, where both lay in `driver/`; it stays for one release.
OLD_PROGRAM: Final = ("driver/offline/",)
OLD_JUDGES: Final = ("driver/diff/", "driver/side.py", "driver/prices.py")
PRICES: Final = ("catalogs/", "planning/")
STACK_FILE: Final = re.compile(
    rf"{STACKS}/(?P<stack>[^/]+)/(?P<file>{re.escape(CHECKLIST_NAME)}|{re.escape(LOCK_NAME)})"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StackFiles:
    """The files of one stack on one side, by mode and id; "" where one is missing.

    Args:
        digest: over all of them.
    """

    lock: str
    checklist: str
    settings: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Digests:
    """One side in digests.

    Args:
        program: of what registers resources, and of the catalogs.
        registering: of what registers resources alone.
        judges: of what prices and judges them.
        prices: of what prices them.
    """

    program: str
    registering: str
    judges: str
    prices: str
    stacks: Mapping[str, StackFiles]

    def moves(self, stack: str) -> tuple[str, str, str]:
        """Equal on two sides where nothing of the stack can differ."""
        found = self.stacks.get(stack)
        return self.program, self.judges, found.digest if found else ""

    def registers(self, stack: str) -> tuple[str, str, str, str]:
        """Equal on two sides where the stack's program registers the same."""
        found = self.stacks[stack]
        return self.registering, stack, found.lock, found.settings


def digests(files: Mapping[str, str]) -> Digests:
    """The digests of a tree; `files` is path to mode and id."""
    program = [path for path in _below(files, PROGRAM + OLD_PROGRAM, PROGRAM_FILES) if not path.startswith(MOVER)]
    return Digests(
        program=_digest(files, program),
        registering=_digest(files, [path for path in program if not PRICE_FILE.fullmatch(path)]),
        judges=_digest(files, _below(files, JUDGES + OLD_JUDGES, JUDGE_FILES)),
        prices=_digest(files, _below(files, PRICES, ())),
        stacks=_stacks(files),
    )


def _stacks(files: Mapping[str, str]) -> dict[str, StackFiles]:
    """Every stack that has a checklist or a lock, or whose folder is a link to where they may lie."""
    names = {match["stack"] for path in files if (match := STACK_FILE.fullmatch(path))}
    names |= {path.removeprefix(f"{STACKS}/") for path, identity in files.items() if _is_link(path, identity)}
    own: dict[str, list[str]] = {name: [] for name in names}
    for path in files:
        stack = path.removeprefix(f"{STACKS}/").partition("/")[0]
        if path.startswith(f"{STACKS}/") and stack in own:
            own[stack].append(path)
    return {name: _files(files, name, own[name]) for name in sorted(names)}


def _is_link(path: str, identity: str) -> bool:
    """Whether a stack's folder is a symbolic link, or a commit of another repository."""
    folder, _, name = path.partition("/")
    return folder == STACKS and bool(STACK_NAME.fullmatch(name)) and identity.startswith(("120000", "160000"))


def _files(files: Mapping[str, str], stack: str, own: Iterable[str]) -> StackFiles:
    settings = f"{STACKS}/Pulumi.{stack}.yaml"
    return StackFiles(
        lock=files.get(f"{STACKS}/{stack}/{LOCK_NAME}", "") or files.get(f"{STACKS}/{stack}", ""),
        checklist=files.get(f"{STACKS}/{stack}/{CHECKLIST_NAME}", ""),
        settings=files.get(settings, ""),
        digest=_digest(files, [*own, *([settings] if settings in files else [])]),
    )


def _below(files: Mapping[str, str], folders: tuple[str, ...], single: tuple[str, ...]) -> list[str]:
    return [path for path in files if path.startswith(folders) or path in single]


def _digest(files: Mapping[str, str], paths: Iterable[str]) -> str:
    """SHA-256 in hex over paths and what they hold."""
    hashed = sha256()
    for path in sorted(paths):
        hashed.update(f"{path}\0{files[path]}\n".encode(errors="surrogateescape"))
    return hashed.hexdigest()
