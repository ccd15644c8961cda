"""Holds the plan: what was reviewed is what runs, in every later run of the same attempt."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Final, cast

from operations.relocation.runner.step import Evidence, Move, RelocationStep, StepError
from planning.spec.lock import LOCK_NAME

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
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
    """Write down what is held, or hold it against what was written down.

    Raises:
        StepError: something changed since.
    """
    present = pin_plan(move.places, folder=move.folder)
    move.memory.remember(KEY, present)
    refuse_changes(move.memory.recall(KEY), present)
    return {"places": _digest(repr(present["places"]).encode()), "files": present["files"]}


def pin_plan(places: Places, *, folder: Path) -> dict[str, object]:
    """What must stay as it is: the places but for pace, the plan and the locks by their digests."""
    form = cast("dict[str, object]", places.model_dump(mode="json"))
    kept = {name: value for name, value in form.items() if name not in FREE}
    files = {name: _digest(path.read_bytes()) for name, path in _files(places, folder=folder) if path.is_file()}
    return {"places": kept, "free": {name: form[name] for name in sorted(FREE)}, "files": files}


def refuse_changes(before: object, present: Mapping[str, object]) -> None:
    """Let what changed since it was held stop everything.

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
    """Where two JSON values differ, as people write it."""
    if isinstance(before, dict) and isinstance(present, dict):
        left, right = cast("dict[str, object]", before), cast("dict[str, object]", present)
        for name in sorted(left.keys() | right.keys()):
            inner = f"{path}.{name}" if path else name
            yield from _differing(left.get(name), right.get(name), inner)
    elif before != present:
        yield path


def _files(places: Places, *, folder: Path) -> Iterator[tuple[str, Path]]:
    """The plan, and the locks of both stacks where this is a project."""
    yield PLAN_NAME, folder / PLAN_NAME
    stacks = folder.parent.parent / "stacks"
    for name in (places.source.stack, places.target.stack):
        yield f"{name}/{LOCK_NAME}", stacks / name / LOCK_NAME


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()


STEP: Final = RelocationStep(name="plan", do=do)
