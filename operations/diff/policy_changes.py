"""What a change does to stacks/policies.yaml: exemptions and settings of rules, each a row of its own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, cast

from operations.diff.plain_yaml import sections
from operations.project.workspace import LAW_NAME, STACKS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from operations.diff.worktrees import Place
    from planning.diff.form import JudgeChangeForm

PATH: Final = f"{STACKS}/{LAW_NAME}"
EXEMPTIONS: Final = "exemptions"
RULES: Final = "rules"
NOTHING: Final = "nothing"
WIDEST: Final = 80
WIDEST_SETTING: Final = 45  # a row of the comment has room for two of them
MOST_ROWS: Final = 50  # of each kind; of more only the number is said


def law_changes(base: Place, head: Place, *, judge: str) -> Iterator[JudgeChangeForm]:
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


def _law(place: Place) -> Mapping[str, object] | None:
    """The file as it stands; nothing where there is none, None where it cannot be read."""
    return sections(place.root / PATH) if PATH in place.tree.files else {}


def _exemptions(law: Mapping[str, object]) -> set[str]:
    """Each exemption as text, so that two can be compared."""
    found = law.get(EXEMPTIONS)
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
