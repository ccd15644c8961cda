"""The table of a clone: every field of the checklist, and what of the lock is bound to its place, before and after."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from planning.clone.decisions.decision import DROP, Need
from planning.clone.field_list import flat
from planning.clone.field_policy import Care, treatment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from planning.checklist.model.checklist import Checklist
    from planning.clone.decisions.decision import Decision
    from planning.clone.field_list import Leaf

ABSENT = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One field.

    Args:
        field: its path, with names in place of positions.
        is_said: whether the source's checklist says it; what is only a default is kept too.
        answer: what was decided, or assumed; "" where nothing had to be.
    """

    field: str
    care: Care
    old: str
    new: str
    why: str
    is_said: bool = True
    answer: str = ""


def checklist_rows(
    old: Checklist, new: Checklist, *, decisions: Sequence[Decision], answers: Mapping[str, str]
) -> tuple[Row, ...]:
    """A row for each field of the two checklists."""
    before, after = flat(old), flat(new)
    by_path = {each.path: each for each in decisions}
    paths = (*before, *(each for each in after if each not in before))
    return tuple(_row(path, before.get(path), after.get(path), by_path=by_path, answers=answers) for path in paths)


def _row(
    path: str,
    old: Leaf | None,
    new: Leaf | None,
    *,
    by_path: Mapping[str, Decision],
    answers: Mapping[str, str],
) -> Row:
    leaf = old or new
    pattern = leaf.pattern if leaf is not None else path
    was, now = (each.text if each is not None else ABSENT for each in (old, new))
    is_asked = treatment(pattern).care is Care.DECISION and (was, now) != (ABSENT, ABSENT)
    decision = _decision_of(path, by_path) if is_asked else None
    care, why, answer = _care(pattern, decision, answers, changed=was != now)
    said = old is not None and not old.is_default
    return Row(field=path, care=care, old=was, new=now, why=why, is_said=said, answer=answer)


def _care(
    pattern: str, decision: Decision | None, answers: Mapping[str, str], *, changed: bool
) -> tuple[Care, str, str]:
    """What became of a field, why, and the answer that made it so."""
    known = treatment(pattern)
    answer = answers.get(decision.path, decision.assumed) if decision is not None else ""
    stands = decision is not None and decision.need is not Need.OFFERED and answer != DROP
    if decision is not None and answer and (changed or stands):
        return Care.DECISION, known.why if decision.need is Need.OFFERED else decision.why, answer
    if changed:
        return Care.DERIVED, known.why if known.care is Care.DERIVED else "follows from what was decided", ""
    return Care.KEPT, known.why if known.care is Care.KEPT else "nothing at the new place changes it", ""


def _decision_of(path: str, by_path: Mapping[str, Decision]) -> Decision | None:
    """The decision that settles a field: its own, or that of the section it is in."""
    return next((by_path[at] for at in _upwards(path) if at in by_path), None)


def _upwards(path: str) -> Iterator[str]:
    while path:
        yield path
        path = path.rpartition(".")[0]
