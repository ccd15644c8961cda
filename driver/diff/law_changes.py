"""What a change does to stacks/policies.yaml: exemptions and settings of rules, each a row of its own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, cast

import yaml

from driver.project import LAW_NAME, STACKS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from driver.diff.trees import Place
    from planning.diff_shapes import JudgeChangeForm

PATH: Final = f"{STACKS}/{LAW_NAME}"
EXEMPTIONS: Final = "exemptions"
MOST_BYTES: Final = 10**6
WIDEST: Final = 80


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
    yield from (_row("exemptions", f"Added: {_words(each)}. {used}") for each in sorted(after - before))
    yield from (_row("exemptions", f"Removed: {_words(each)}. {used}") for each in sorted(before - after))
    if _rest(old) != _rest(new):
        yield _row("settings", f"Settings of rules differ. {used}")


def _row(what: str, words: str) -> JudgeChangeForm:
    return {"what": what, "path": PATH, "words": words}  # pyright: ignore[reportReturnType] - a word of the shape


def _law(place: Place) -> Mapping[str, object] | None:
    """The file as it stands; nothing where there is none, None where it cannot be read."""
    path = place.root / PATH
    if PATH not in place.tree.files:
        return {}
    try:
        if path.is_symlink() or path.stat().st_size > MOST_BYTES:
            return None
        loaded: object = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError, RecursionError):
        return None
    if loaded is None:
        return {}
    return cast("dict[str, object]", loaded) if isinstance(loaded, dict) else None


def _exemptions(law: Mapping[str, object]) -> set[str]:
    """Each exemption as text, so that two can be compared."""
    found = law.get(EXEMPTIONS)
    return {_text(each) for each in cast("list[object]", found)} if isinstance(found, list) else set()


def _rest(law: Mapping[str, object]) -> str:
    return _text({name: value for name, value in law.items() if name != EXEMPTIONS})


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
