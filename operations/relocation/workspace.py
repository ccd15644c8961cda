"""From two stacks' names to a relocation that can be run: its folder, its places, the values that they name."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from operations.project.atomic_files import write_all
from operations.project.journal import NAME
from operations.project.workspace import STACK_NAME, Project, display_path, find_project
from operations.relocation.config.endpoints import PLACES_NAME, Places
from operations.relocation.config.manual_confirmations import BY_HAND_NAME
from operations.relocation.config.reader import RETIRED_MOVERS, list_relocation_folders, read_file
from operations.relocation.config.rules import variables
from operations.relocation.runner import execution
from operations.relocation.runner.context import FOLDER_MODE
from operations.relocation.runner.step import RunContext
from operations.relocation.steps import plan
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

FOLDER: Final = "relocations"
# What is never committed unless somebody wants it: journals, manifests, reports, dumps.
IGNORED: Final = f"*\n!*/\n!.gitignore\n!{PLACES_NAME}\n!{BY_HAND_NAME}\n!plan.*\n"


def folder_of(source: str, target: str, *, name: str = "", project: Project | None = None) -> Path:
    """Where everything of a relocation lies.

    Args:
        name: of a second relocation between the same two, as of the buckets that lie in another store; "" for none.

    Raises:
        InputError: a name that cannot be a stack's, or that of a relocation.
    """
    for given, what in ((source, "a stack"), (target, "a stack"), (name or "none", "a relocation")):
        if not STACK_NAME.fullmatch(given):
            hint = "lower case letters, digits and dashes, starting with a letter"
            raise InputError(f"{given!r} cannot name {what}", hint=hint)
    root = (project or find_project()).root
    if name and (root / "stacks" / f"{target}-{name}").is_dir():
        hint = f"its folder would be that of the relocation to the stack {target}-{name}"
        raise InputError(f"--name {name} is taken", hint=hint)
    return root / FOLDER / (f"{source}--{target}-{name}" if name else f"{source}--{target}")


def folders_of(source: str, target: str, *, project: Project | None = None) -> tuple[Path, ...]:
    """Folders of every relocation between two stacks, the unnamed one first; it may not exist.

    Raises:
        InputError: as `folder_of`, or a journal is broken.
    """
    return list_relocation_folders(folder_of(source, target, project=project), source=source, target=target)


def find_relocation_folders(source: str, target: str) -> tuple[Path, ...]:
    """Folders of every relocation between two stacks that has a journal or places; at least one.

    Raises:
        InputError: as `folders_of`.
    """
    project = find_project()
    main, *others = folders_of(source, target, project=project)
    counts = (main / NAME).is_file() or _places_path(project, main, "").is_file()
    return (main, *others) if counts or not others else tuple(others)


def prepare_run(
    source: str, target: str, *, places: str, in_clear: bool, say: Callable[[str], None], name: str = ""
) -> RunContext:
    """Inputs of a run.

    Raises:
        InputError: with every fault of the places; or they are of other stacks.
        StepError: they changed since the plan was held.
    """
    project = find_project()
    folder = folder_of(source, target, name=name, project=project)
    path = _places_path(project, folder, places, name=name)
    known = read_file(Path(display_path(path)), environment=os.environ, in_clear=in_clear)
    named = known.places.source.stack, known.places.target.stack
    if named != (source, target):
        raise InputError(f"{display_path(path)} is of {named[0]} and {named[1]}, not of {source} and {target}")
    before = execution.read_state(folder).remembered.get(plan.KEY)
    plan.refuse_changes(before, plan.pin_plan(known.places, folder=folder))
    make(folder)
    return RunContext(places=known.places, folder=folder, secrets=known.secrets, say=say, now=_now)


def prepare_verification(
    source: str, target: str, *, places: str, in_clear: bool, say: Callable[[str], None], name: str = ""
) -> RunContext:
    """Inputs of a proof.

    Raises:
        InputError: nothing was ever begun, so that there is no copy of ours; or as `to_run`.
        StepError: as `to_run`.
    """
    if not execution.read_state(folder_of(source, target, name=name)).opened:
        named = f" --name {name}" if name else ""
        hint = f"atoll relocate run {source} {target}{named} --until seed makes the first copy"
        raise InputError("nothing was begun: there is no copy to prove", hint=hint)
    return prepare_run(source, target, places=places, in_clear=in_clear, say=say, name=name)


def prepare_rollback(
    source: str, target: str, *, places: str, in_clear: bool, say: Callable[[str], None], name: str = ""
) -> RunContext:
    """Inputs of a rollback, with the places as recorded with the plan.

    Raises:
        InputError: nothing was begun, whatever is set; variables that the places name are not set; or, where no plan
            was held yet, as `to_run`.
    """
    folder = folder_of(source, target, name=name)
    stands = execution.read_state(folder)
    if not stands.begun:
        since = " since the last roll back" if stands.attempt > 1 else ""
        raise InputError(f"nothing was begun{since}: there is nothing to take back")
    held = stands.remembered.get(plan.KEY)
    if held is None:
        return prepare_run(source, target, places=places, in_clear=in_clear, say=say, name=name)
    # As recorded with the plan, whatever the file says by now: what is taken back is what was done.
    known = read_pinned_places(held)
    names = dict.fromkeys(variables(known).values())
    if missing := [name for name in names if not os.environ.get(name)]:
        raise InputError(f"not set: {', '.join(missing)}", hint="the places of this relocation name them")
    secrets = {name: os.environ[name] for name in names}
    return RunContext(places=known, folder=folder, secrets=secrets, say=say, now=_now)


def read_pinned_places(held: object) -> Places:
    """Recorded places, maybe of an earlier version whose copiers a rollback does not need."""
    form = cast("Mapping[str, dict[str, object]]", held)
    buckets = cast("list[dict[str, object]]", form["places"]["buckets"])
    known = [{**each, "mover": "atoll"} if each.get("mover") in RETIRED_MOVERS else each for each in buckets]
    return Places.model_validate({**form["places"], **form["free"], "buckets": known})


def _places_path(project: Project, folder: Path, given: str, *, name: str = "") -> Path:
    """The given file, that of this relocation, or that of the project."""
    if given:
        return Path(given)
    own, shared = folder / PLACES_NAME, project.root / places_name(name)
    return own if own.is_file() or not shared.is_file() else shared


def places_name(name: str) -> str:
    """File name of the places in the project's root: "relocation.yaml", "relocation-tiers.yaml"."""
    return PLACES_NAME.replace(".", f"-{name}.") if name else PLACES_NAME


def make(folder: Path) -> None:
    """Make a relocation's folder, private to its owner and ignored by Git."""
    folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    ignored = folder.parent / ".gitignore"
    if not ignored.exists():
        write_all({ignored: IGNORED})


def _now() -> datetime:
    return datetime.now(tz=UTC)
