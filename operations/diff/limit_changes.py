"""Limits that a change moves, read from the files themselves: whatever a side answers hides none of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, cast

from operations.diff.matching import lock_text
from operations.diff.plain_yaml import sections
from operations.project.workspace import STACKS
from planning.diff.limits import ceiling_changes
from planning.spec.lock import CHECKLIST_NAME, LOCK_NAME

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from operations.diff.matching import Pair
    from operations.diff.worktrees import Place
    from planning.diff.form import CeilingChangeForm

CEILING: Final = "ceiling"
MONTH: Final = "usd_per_month"
CONTRACT: Final = "usd_per_contract"
MONTHS: Final = "contract_months"
RESIDENCY: Final = "residency"
ANYWHERE: Final = "any"
NEW: Final = "no stack"
NONE: Final = "none"


def limit_rows(pair: Pair, base: Place, head: Place) -> list[CeilingChangeForm]:
    """Every limit that differs, of the lock and of the checklist; all of a new stack's, for nothing bound it before."""
    return [*_of_locks(pair, base, head), *_of_checklists(pair, base, head)] if pair.new else []


def _of_locks(pair: Pair, base: Place, head: Place) -> Iterator[CeilingChangeForm]:
    where = f"{STACKS}/{pair.stack}/{LOCK_NAME}"
    old, new = _body(base, pair.old_name) if pair.old else None, _body(head, pair.stack) or {}
    if old is None:
        yield from _of_new(new, where=where)
        return
    yield from ceiling_changes(_limits(old), _limits(new), where=where)
    yield from _beside(old, new, where=where)


def _of_new(lock: Mapping[str, object], *, where: str) -> Iterator[CeilingChangeForm]:
    """Limits of a stack that the base does not know: all that they let through is new."""
    month: CeilingChangeForm = {"what": MONTH, "where": where, "old": NEW, "new": NONE, "raised": True}
    rows = {each["what"]: each for each in ceiling_changes({}, _limits(lock), where=where)}
    for row in {MONTH: month, **rows}.values():
        yield {**row, "old": NEW, "raised": True}


def _beside(old: Mapping[str, object], new: Mapping[str, object], *, where: str) -> Iterator[CeilingChangeForm]:
    """What else of a lock bounds it: months over which the contract's ceiling is spread, and where data may lie."""
    before, after = old.get(MONTHS), new.get(MONTHS)
    if before != after and (_limits(old).get(CONTRACT) is not None or _limits(new).get(CONTRACT) is not None):
        fewer = not (isinstance(before, int) and isinstance(after, int) and after >= before)
        yield {"what": MONTHS, "where": where, "old": _text(before), "new": _text(after), "raised": fewer}
    here, there = old.get(RESIDENCY, ANYWHERE), new.get(RESIDENCY, ANYWHERE)
    if here != there:
        yield {"what": RESIDENCY, "where": where, "old": _text(here), "new": _text(there), "raised": here != ANYWHERE}


def _of_checklists(pair: Pair, base: Place, head: Place) -> Iterator[CeilingChangeForm]:
    """Limits that differ between the checklists, of a stack that both sides have."""
    if pair.old is None or pair.new is None or pair.old.checklist == pair.new.checklist:
        return
    where = f"{STACKS}/{pair.stack}/{CHECKLIST_NAME}"
    yield from ceiling_changes(_asked(base, pair.old_name), _asked(head, pair.stack), where=where)


def _body(place: Place, stack: str) -> Mapping[str, object] | None:
    """The lock as it stands in its file; None where that cannot be read."""
    try:
        body: object = json.loads(lock_text(place, stack))
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, object]", body) if isinstance(body, dict) else None


def _limits(lock: Mapping[str, object]) -> Mapping[str, object]:
    found = lock.get(CEILING)
    return cast("dict[str, object]", found) if isinstance(found, dict) else {}


def _asked(place: Place, stack: str) -> Mapping[str, object]:
    """The ceiling of a checklist as it stands in its file; nothing where that cannot be read."""
    found = (sections(place.root / STACKS / stack / CHECKLIST_NAME) or {}).get(CEILING)
    return cast("dict[str, object]", found) if isinstance(found, dict) else {}


def _text(value: object) -> str:
    return NONE if value is None else str(value)[:80]
