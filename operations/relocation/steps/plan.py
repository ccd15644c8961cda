"""Holds the plan: what was reviewed is what runs, in every later run of the same attempt."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Final, cast

from operations.project.journal import NAME, read_journal
from operations.relocation.config import reader
from operations.relocation.config.manual_confirmations import (
    BY_HAND_NAME,
    ManualConfirmation,
    ManualConfirmations,
    read_marks,
)
from operations.relocation.runner.state import derive_state
from operations.relocation.runner.step import Evidence, Move, RelocationStep, StepError
from planning.inputs.files import read_json
from planning.relocation.inventory.assets import AssetKind, AssetTreatment
from planning.relocation.methods.manual_procedures import STRANGE, WRITTEN, explain_manual_move
from planning.relocation.plan_form import RelocationPlanForm, digest
from planning.spec.lock import LOCK_NAME
from planning.values.errors import InputError, in_one_line

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from operations.relocation.config.endpoints import Places


KEY: Final = "plan"
PLAN_NAME: Final = "plan.json"
# What may be changed on the way: how fast, and how long.
FREE: Final = frozenset(
    {"bandwidth_mib_per_s", "movers", "transfers", "window_minutes", "observe_minutes", "retain_days"},
)
HINT: Final = "put it back, or roll back and run again with the new one"


def do(move: Move) -> Evidence:
    """Record what must not change, or compare it with the record.

    Raises:
        StepError: something changed since.
    """
    present = pin_plan(move.places, folder=move.folder)
    move.memory.remember(KEY, present)
    refuse_changes(move.memory.recall(KEY), present)
    return {"places": _digest(repr(present["places"]).encode()), "files": present["files"]}


def pin_plan(places: Places, *, folder: Path) -> dict[str, object]:
    """What must not change: the places, the plan, and digests of the locks."""
    form = cast("dict[str, object]", places.model_dump(mode="json"))
    # Pace (bandwidth, transfers) may be changed on the way; it changes nothing about what is moved.
    kept = {name: value for name, value in form.items() if name not in FREE}
    files = {name: _digest(path.read_bytes()) for name, path in _files(places, folder=folder) if path.is_file()}
    return {"places": kept, "free": {name: form[name] for name in sorted(FREE)}, "files": files}


def refuse_changes(before: object, present: Mapping[str, object]) -> None:
    """Stop if something changed since it was recorded.

    Raises:
        StepError: it names what changed.
    """
    was = cast("Mapping[str, object]", before) if isinstance(before, dict) else None
    if was is None:
        return
    changed = [*_differing(was["places"], present["places"], ""), *_differing(was["files"], present["files"], "")]
    if changed:
        raise StepError(
            f"changed since the plan was held: {', '.join(changed)}", hint=HINT, evidence={"changed": changed}
        )


def _differing(before: object, present: object, path: str) -> Iterator[str]:
    """Paths at which two JSON values differ."""
    if isinstance(before, dict) and isinstance(present, dict):
        left, right = cast("dict[str, object]", before), cast("dict[str, object]", present)
        for name in sorted(left.keys() | right.keys()):
            inner = f"{path}.{name}" if path else name
            yield from _differing(left.get(name), right.get(name), inner)
    elif before != present:
        yield path


def _files(places: Places, *, folder: Path) -> Iterator[tuple[str, Path]]:
    """The plan, and the locks of both stacks in a project."""
    yield PLAN_NAME, folder / PLAN_NAME
    stacks = folder.parent.parent / "stacks"
    for name in (places.source.stack, places.target.stack):
        yield f"{name}/{LOCK_NAME}", stacks / name / LOCK_NAME


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()


STEP: Final = RelocationStep(name="plan", do=do)


NO_PLAN: Final = "no plan: nothing is known of volumes"
MOST_BYTES: Final = 64_000_000
_WRITTEN: Final = frozenset(each.value for each in WRITTEN)


@dataclass(frozen=True, slots=True, kw_only=True)
class ManualTask:
    """A manual task.

    Args:
        written: whether it changes until the write freeze.
    """

    key: str
    title: str
    why: str
    written: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ManualWork:
    """Manual tasks of a plan, and their confirmations.

    Args:
        every: by key.
        plan: the file; None where there is no plan.
        path: of by-hand.yaml, which need not be there.
    """

    every: Mapping[str, ManualTask]
    marks: ManualConfirmations
    plan: Path | None
    path: Path

    @property
    def missing(self) -> list[ManualTask]:
        return [each for key, each in self.every.items() if key not in self.marks.confirmed]


def check_confirmations(move: Move) -> Evidence:
    """Confirmations, once all manual tasks have one.

    Raises:
        StepError: with everything that is open, at once; or the plan or by-hand.yaml cannot be read.
    """
    try:
        stands = read_manual_work(move.places, folder=move.folder, now=move.now())
        since = derive_state(read_journal(move.folder / NAME).records).frozen_since
    except InputError as error:
        faults = [f"{each.line}:{each.column} {each.message}" for each in error.faults]
        raise StepError(in_one_line(error), evidence={"faults": faults}) from error
    if stands.plan is None:
        return {"by_hand": NO_PLAN}
    early = _early(stands, frozen_since=since)
    if stands.missing or early:
        raise _not_yet(stands.missing, early, path=stands.path)
    return {
        "by_hand": {key: stands.marks.confirmed[key].form() for key in stands.every},
        "plan": stands.plan.name,
        "marks": stands.path.name,
    }


def read_manual_work(places: Places, *, folder: Path, now: datetime) -> ManualWork:
    """Manual tasks, by the plan of this relocation or of another between the same stacks.

    Raises:
        InputError: the plan cannot be believed, or by-hand.yaml has faults: all of them, each with its place.
    """
    source, target = places.source.stack, places.target.stack
    main = folder.with_name(f"{source}--{target}")
    folders = tuple(dict.fromkeys((folder, *reader.list_relocation_folders(main, source=source, target=target))))
    plan = _first(folders, PLAN_NAME)
    path = _first(folders, BY_HAND_NAME) or (plan.parent if plan else folder) / BY_HAND_NAME
    if plan is None:
        return ManualWork(every={}, marks=ManualConfirmations(confirmed={}, empty=frozenset()), plan=None, path=path)
    others = (reader.places_in(each) for each in folders if each != folder)
    named = (places, *(each for each in others if each is not None))
    form = _plan(plan, places)
    every = {each.key: each for each in list_manual_tasks(form, named)}
    known = {each["key"] for each in form["things"]} | every.keys()
    return ManualWork(every=every, marks=read_marks(path, known=known, now=now), plan=plan, path=path)


def _first(folders: Sequence[Path], name: str) -> Path | None:
    return next((each / name for each in folders if (each / name).is_file()), None)


def list_manual_tasks(form: RelocationPlanForm, named: Collection[Places]) -> Iterator[ManualTask]:
    """Assets of a plan that no relocation.yaml names and that Atoll does not move.

    Args:
        named: every relocation.yaml between the two stacks.
    """
    known = reader.find_covered_keys([(each["key"], each["locator"]) for each in form["things"]], named)
    for each in form["things"]:
        mover = each["mover"]
        why = explain_manual_move(
            AssetKind(each["kind"]),
            AssetTreatment(each["treatment"]),
            runs=mover["runs"] if mover else "",
            covered=each["key"] in known,
        )
        if why:
            yield ManualTask(key=each["key"], title=each["title"], why=why, written=each["kind"] in _WRITTEN)
    for name in form["strange"]:
        yield ManualTask(
            key=f"{STRANGE}{name}", title=name, why="no row of ours knows what becomes of it", written=False
        )


def _plan(path: Path, places: Places) -> RelocationPlanForm:
    """The plan, once it is complete and about these two stacks.

    Raises:
        InputError: it is not.
    """
    hint = "make it anew with atoll relocate plan --json, or put back what was reviewed"
    try:
        form = cast("RelocationPlanForm", read_json(path, most_bytes=MOST_BYTES, hint=hint))
        whole = form["digest"] == digest(form)
        stacks = form["source"]["stack"], form["target"]["stack"]
    except (ValueError, TypeError, KeyError) as error:
        raise InputError(f"{path.name} is no plan of a relocation ({type(error).__name__})", hint=hint) from error
    if not whole:
        raise InputError(f"{path.name} was edited: its digest is not that of what it says", hint=hint)
    if stacks != (places.source.stack, places.target.stack):
        raise InputError(f"{path.name} is about {stacks[0]} and {stacks[1]}", hint=hint)
    return form


def _early(stands: ManualWork, *, frozen_since: datetime | None) -> list[tuple[ManualTask, ManualConfirmation]]:
    """Confirmations dated while the data was still written."""
    if frozen_since is None:
        return []
    marks = stands.marks.confirmed
    found = [(each, marks[key]) for key, each in stands.every.items() if each.written and key in marks]
    return [(each, mark) for each, mark in found if mark.until < frozen_since]


def _not_yet(missing: list[ManualTask], early: list[tuple[ManualTask, ManualConfirmation]], *, path: Path) -> StepError:
    said = [f"{each.key} ({each.title}): {each.why}" for each in missing]
    said += [f"{each.key}: checked {mark.when.isoformat()}, before writers stood still" for each, mark in early]
    count = "1 thing is" if len(said) == 1 else f"{len(said)} things are"
    return StepError(
        f"{count} not confirmed: {'; '.join(said)}",
        hint=f"move and check each, then say who, when and how in {path}; what was written since counts too",
        evidence={"open": [each.key for each in missing], "checked_too_early": [each.key for each, _ in early]},
    )
