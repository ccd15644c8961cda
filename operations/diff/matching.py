"""Which stacks are compared with which: those whose digests differ, a removed one with the one it was renamed to."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Final, cast

from operations.project.workspace import LAW_NAME, STACK_NAME, STACKS
from planning.inputs.files import read_text
from planning.platform.digests import LOCK_NAME as SOFTWARE_NAME
from planning.spec.lock import CHECKLIST_NAME, LOCK_NAME, MOST_BYTES
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from pathlib import Path

    from operations.diff.worktrees import Worktree


LINKS: Final = ("120000", "160000")  # git's modes of a symbolic link and of another repository's commit
NAMED: Final = ("stack", "digest")


@dataclass(frozen=True, slots=True, kw_only=True)
class StackPair:
    """One stack on both sides.

    Args:
        was: its name on the base, where that is another; else "".
        old: its files on the base; None where it has no lock there. new: the same of the head.
        fault: why it cannot be compared at all; "" where it can.
    """

    stack: str
    was: str
    old: StackFiles | None
    new: StackFiles | None
    fault: str = ""

    @property
    def old_name(self) -> str:
        return self.was or self.stack


@dataclass(frozen=True, slots=True, kw_only=True)
class StackSelection:
    """What is compared, and what is not.

    Args:
        untouched: how many stacks are equal on both sides.
        waiting: stacks whose checklist differs and that were never accepted.
    """

    pairs: tuple[StackPair, ...]
    untouched: int
    waiting: tuple[str, ...]


def select_pairs(
    base: Digests, head: Digests, *, places: tuple[Worktree, Worktree], only: Collection[str]
) -> StackSelection:
    """Pairs of all stacks that may differ; `only` some names, where there are any."""
    names = sorted({*base.stacks, *head.stacks})
    names = [name for name in names if not only or name in only]
    touched = [name for name in names if base.moves(name) != head.moves(name)]
    locked = [name for name in touched if _has_lock(base, name) or _has_lock(head, name)]
    renamed = _find_renames([each for each in locked if not only], base, head, places=places)
    pairs = [_pair(name, base, head, was=renamed.get(name, "")) for name in locked if name not in renamed.values()]
    return StackSelection(
        pairs=tuple(pairs),
        untouched=len(names) - len(touched),
        waiting=tuple(
            name
            for name in touched
            if name not in locked and _checklist_digest(base, name) != _checklist_digest(head, name)
        ),
    )


def lock_text(place: Worktree, stack: str) -> str:
    """The lock of a stack as its file holds it; "" where it cannot be read, is a link, or is too long to be one."""
    path = _lock(place, stack)
    try:
        # A link of the tree may lead out of it, to any file of this machine.
        return "" if path.is_symlink() else read_text(path, most_bytes=MOST_BYTES)
    except InputError:
        return ""


def _pair(name: str, base: Digests, head: Digests, *, was: str) -> StackPair:
    old = base.stacks.get(was or name) if _has_lock(base, was or name) else None
    new = head.stacks.get(name) if _has_lock(head, name) else None
    return StackPair(stack=name, was=was, old=old, new=new, fault=_fault(name, new))


def _fault(name: str, files: StackFiles | None) -> str:
    if files is not None and not STACK_NAME.fullmatch(name):
        return "its name cannot name a stack: lower case letters, digits and dashes, starting with a letter"
    if files is not None and any(each.startswith(LINKS) for each in (files.lock, files.checklist, files.settings)):
        return f"its folder, {LOCK_NAME}, {CHECKLIST_NAME} or its configuration is a link"
    return ""


def _checklist_digest(side: Digests, name: str) -> str:
    found = side.stacks.get(name)
    return found.checklist if found else ""


def _has_lock(side: Digests, name: str) -> bool:
    found = side.stacks.get(name)
    return found is not None and bool(found.lock)


def _find_renames(
    names: list[str], base: Digests, head: Digests, *, places: tuple[Worktree, Worktree]
) -> Mapping[str, str]:
    """New name to old name, where a lock was moved: the same but for its name, or beside the same checklist."""
    gone = [name for name in names if _has_lock(base, name) and not _has_lock(head, name)]
    come = [name for name in names if _has_lock(head, name) and not _has_lock(base, name)]
    found: dict[str, str] = {}
    # The same lock first: it is the surer sign.
    for same in (_same_lock(places), _same_checklist(base, head)):
        for name in come:
            was = next((each for each in gone if same(each, name)), "")
            if was and name not in found and not _fault(name, head.stacks[name]):
                found[name] = was
                gone.remove(was)
    return found


def _same_lock(places: tuple[Worktree, Worktree]) -> Callable[[str, str], bool]:
    def same(was: str, name: str) -> bool:
        old, new = _nameless(lock_text(places[0], was)), _nameless(lock_text(places[1], name))
        return old is not None and old == new

    return same


def _same_checklist(base: Digests, head: Digests) -> Callable[[str, str], bool]:
    return lambda was, name: (
        bool(base.stacks[was].checklist) and (base.stacks[was].checklist == head.stacks[name].checklist)
    )


def _nameless(text: str) -> Mapping[str, object] | None:
    """A lock without what its stack's name is in; None where it is no lock."""
    try:
        body: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return dict(_others(cast("dict[str, object]", body))) if isinstance(body, dict) else None


def _others(body: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    return ((name, value) for name, value in body.items() if name not in NAMED)


def _lock(place: Worktree, stack: str) -> Path:
    return place.root / STACKS / stack / LOCK_NAME


# What runs a program: its resources are the same while these and the stack's own files are.
PROGRAM: Final = ("components/", "planning/", "catalogs/", "operations/offline/")
PROGRAM_FILES: Final = (
    f"{STACKS}/__main__.py",
    f"{STACKS}/__init__.py",
    "operations/plans/plan_form.py",
    "operations/project/stack_config.py",
    "operations/project/workspace.py",
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
    # A folder that is a link holds files that git does not list: such a stack must not look untouched.
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
