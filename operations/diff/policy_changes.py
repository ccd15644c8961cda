"""What a change does to stacks/policies.yaml: exemptions and settings of rules, each a row of its own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, cast

from operations.diff.matching import lock_text
from operations.project.workspace import LAW_NAME, STACKS
from planning.diff.limits import ceiling_changes
from planning.inputs.yaml_document import read_fields
from planning.spec.lock import CHECKLIST_NAME, LOCK_NAME
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from operations.diff.matching import StackPair
    from operations.diff.worktrees import Worktree
    from planning.diff.form import CeilingChangeForm, JudgeChangeForm


def sections(path: Path) -> Mapping[str, object] | None:
    """The file's mapping, read as a checklist is; nothing of an empty file, None of one that cannot be read."""
    try:
        return None if path.is_symlink() else read_fields(path)
    except InputError:
        return None


PATH: Final = f"{STACKS}/{LAW_NAME}"
EXEMPTIONS: Final = "exemptions"
RULES: Final = "rules"
NOTHING: Final = "nothing"
WIDEST: Final = 80
WIDEST_SETTING: Final = 45  # a row of the comment has room for two of them
MOST_ROWS: Final = 50  # of each kind; of more only the number is said


def law_changes(base: Worktree, head: Worktree, *, judge: str) -> Iterator[JudgeChangeForm]:
    """Exemptions that come or go, and settings that differ; `judge` is the side whose law was used."""
    old_id, new_id = base.tree.files.get(PATH, ""), head.tree.files.get(PATH, "")
    if old_id == new_id:
        return
    old, new = _law(base), _law(head)
    if old is None or new is None:
        yield _row("settings", f"The file cannot be read on the {'base' if old is None else 'head'}.")
        return
    before, after, used = _exemptions(old), _exemptions(new), f"The file of the {judge} was used."
    words = [f"Added: {_words(each)}." for each in sorted(after - before)]
    yield from _rows("exemptions", [*words, *(f"Removed: {_words(each)}." for each in sorted(before - after))], used)
    yield from _rows("settings", list(_settings(_rest(old), _rest(new))), used)


def _rows(what: str, words: list[str], used: str) -> Iterator[JudgeChangeForm]:
    yield from (_row(what, f"{each} {used}") for each in words[:MOST_ROWS])
    if len(words) > MOST_ROWS:
        yield _row(what, f"And {len(words) - MOST_ROWS} more. {used}")


def _row(what: str, words: str) -> JudgeChangeForm:
    return {"what": what, "path": PATH, "words": words}  # pyright: ignore[reportReturnType] - a word of the shape


def _law(place: Worktree) -> Mapping[str, object] | None:
    """The file as it stands; nothing where there is none, None where it cannot be read."""
    return sections(place.root / PATH) if PATH in place.tree.files else {}


def _exemptions(law: Mapping[str, object]) -> set[str]:
    """Each exemption as text."""
    found = law.get(EXEMPTIONS)
    # As texts, which can be compared whatever they hold.
    return {_text(each) for each in cast("list[object]", found)} if isinstance(found, list) else set()


def _settings(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[str]:
    """Each rule of which something else is set, with what was and what would be."""
    for name in sorted({*old, *new}):
        before, after = old.get(name, NOTHING), new.get(name, NOTHING)
        if before != after:
            yield f"Settings of {name[:WIDEST_SETTING]}: {_short(before)} → {_short(after)}."


def _short(text: str) -> str:
    return text if len(text) <= WIDEST_SETTING else f"{text[: WIDEST_SETTING - 1]}…"


def _rest(law: Mapping[str, object]) -> Mapping[str, str]:
    """What is set of each rule, and whatever else the file holds, as texts."""
    rules = law.get(RULES)
    set_of = {name: value for name, value in law.items() if name not in (EXEMPTIONS, RULES)}
    own = cast("dict[str, object]", rules) if isinstance(rules, dict) else {RULES: rules} if rules else {}
    return {name: _text(value) for name, value in {**set_of, **own}.items()}


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def _words(text: str) -> str:
    """An exemption in words, by the fields that a reader looks for."""
    fields: object = json.loads(text)
    if not isinstance(fields, dict):
        return "something that is no exemption"
    said = cast("dict[str, object]", fields)
    names = ("rule", "stack", "resource", "owner", "expires", "max_usd_per_month")
    return ", ".join(f"{name} {str(said[name])[:WIDEST]}" for name in names if said.get(name))


CEILING: Final = "ceiling"
MONTH: Final = "usd_per_month"
CONTRACT: Final = "usd_per_contract"
MONTHS: Final = "contract_months"
RESIDENCY: Final = "residency"
ANYWHERE: Final = "any"
NEW: Final = "no stack"
NONE: Final = "none"


def limit_rows(pair: StackPair, base: Worktree, head: Worktree) -> list[CeilingChangeForm]:
    """Every limit that differs, of the lock and of the checklist; all of a new stack's, for nothing bound it before."""
    return [*_of_locks(pair, base, head), *_of_checklists(pair, base, head)] if pair.new else []


def _of_locks(pair: StackPair, base: Worktree, head: Worktree) -> Iterator[CeilingChangeForm]:
    where = f"{STACKS}/{pair.stack}/{LOCK_NAME}"
    old, new = _body(base, pair.old_name) if pair.old else None, _body(head, pair.stack) or {}
    if old is None:
        yield from _of_new(new, where=where)
        return
    yield from ceiling_changes(_limits(old), _limits(new), where=where)
    yield from _beside(old, new, where=where)


def _of_new(lock: Mapping[str, object], *, where: str) -> Iterator[CeilingChangeForm]:
    """Limits of a stack that the base does not have: each counts as raised."""
    month: CeilingChangeForm = {"what": MONTH, "where": where, "old": NEW, "new": NONE, "raised": True}
    rows = {each["what"]: each for each in ceiling_changes({}, _limits(lock), where=where)}
    for row in {MONTH: month, **rows}.values():
        yield {**row, "old": NEW, "raised": True}


def _beside(old: Mapping[str, object], new: Mapping[str, object], *, where: str) -> Iterator[CeilingChangeForm]:
    """What else of a lock bounds it: months over which the contract's ceiling is spread, and where data may lie."""
    before, after = old.get(MONTHS), new.get(MONTHS)
    # Fewer months leave more of the contract's ceiling for each of them.
    if before != after and (_limits(old).get(CONTRACT) is not None or _limits(new).get(CONTRACT) is not None):
        fewer = not (isinstance(before, int) and isinstance(after, int) and after >= before)
        yield {
            "what": MONTHS,
            "where": where,
            "old": _shorten_limit(before),
            "new": _shorten_limit(after),
            "raised": fewer,
        }
    here, there = old.get(RESIDENCY, ANYWHERE), new.get(RESIDENCY, ANYWHERE)
    if here != there:
        yield {
            "what": RESIDENCY,
            "where": where,
            "old": _shorten_limit(here),
            "new": _shorten_limit(there),
            "raised": here != ANYWHERE,
        }


def _of_checklists(pair: StackPair, base: Worktree, head: Worktree) -> Iterator[CeilingChangeForm]:
    """Limits that differ between the checklists, of a stack that both sides have."""
    if pair.old is None or pair.new is None or pair.old.checklist == pair.new.checklist:
        return
    where = f"{STACKS}/{pair.stack}/{CHECKLIST_NAME}"
    yield from ceiling_changes(_read_ceiling(base, pair.old_name), _read_ceiling(head, pair.stack), where=where)


def _body(place: Worktree, stack: str) -> Mapping[str, object] | None:
    """The lock as it stands in its file; None where that cannot be read."""
    try:
        body: object = json.loads(lock_text(place, stack))
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, object]", body) if isinstance(body, dict) else None


def _limits(lock: Mapping[str, object]) -> Mapping[str, object]:
    found = lock.get(CEILING)
    return cast("dict[str, object]", found) if isinstance(found, dict) else {}


def _read_ceiling(place: Worktree, stack: str) -> Mapping[str, object]:
    """The ceiling of a checklist as it stands in its file; nothing where that cannot be read."""
    found = (sections(place.root / STACKS / stack / CHECKLIST_NAME) or {}).get(CEILING)
    return cast("dict[str, object]", found) if isinstance(found, dict) else {}


def _shorten_limit(value: object) -> str:
    return NONE if value is None else str(value)[:80]
