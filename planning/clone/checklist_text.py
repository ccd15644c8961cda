"""A checklist's text with other values in it: comments and layout stay, only the lines that change are written."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final, cast

import yaml

from planning.checklist.reading.checklist_file import read
from planning.values.errors import InputError
from planning.values.json_format import to_mapping

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from planning.checklist.model.checklist import Checklist

Steps = tuple[str | int, ...]
_PLAIN: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./")
_WORDS: Final = frozenset({"none", "null", "true", "false", "yes", "no", "on", "off", "y", "n", ""})
_NOTHING: Final = object()
_EARLIER: Final = re.compile(r"(?:^#\n)?^# A clone of [^\n]*, made by `atoll clone`[^\n]*\n", re.MULTILINE)


class _LayoutError(Exception):
    """No line can be inserted into the layout of the text."""


def rewrite_text(text: str, *, old: Checklist, new: Checklist, file: str, heading: str) -> tuple[str, bool]:
    """Text of the new checklist, and whether comments and layout were kept.

    The text is read again: where it is not exactly the new checklist, a plain listing replaces it.
    """
    edited = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if not edited.endswith("\n"):
        edited += "\n"
    try:
        for steps, value in _changes(_whole(old), _whole(new)):
            edited = _with(edited, steps, value)
        edited = _with_heading(edited, heading)
        if read(edited, file=file) == new:
            return edited, True
    except (_LayoutError, InputError, yaml.YAMLError):
        pass
    return render_checklist(new, heading=heading), False


def render_checklist(checklist: Checklist, *, heading: str) -> str:
    """A checklist as plain YAML without defaults."""
    shown = checklist.model_dump(mode="json", exclude_defaults=True)
    body = yaml.safe_dump(shown, sort_keys=False, allow_unicode=True, width=10_000)
    return f"# yaml-language-server: $schema=../checklist.schema.json\n#\n# {heading}\n\n{body}"


def _whole(checklist: Checklist) -> dict[str, object]:
    return cast("dict[str, object]", checklist.model_dump(mode="json"))


def _changes(old: Mapping[str, object], new: Mapping[str, object], *, at: Steps = ()) -> Iterator[tuple[Steps, object]]:
    """Fields to write and to remove, deepest first where both sides have the section."""
    for name in (*old, *(each for each in new if each not in old)):
        before, after = old.get(name, _NOTHING), new.get(name, _NOTHING)
        if before == after:
            continue
        yield from _compare_values(before, after, at=(*at, name))


def _compare_values(before: object, after: object, *, at: Steps) -> Iterator[tuple[Steps, object]]:
    sections = to_mapping(before), to_mapping(after)
    entries = _entries(before), _entries(after)
    if sections[0] and sections[1]:
        yield from _changes(*sections, at=at)
    elif entries[0] and len(entries[0]) == len(entries[1]):
        for index, (one, other) in enumerate(zip(*entries, strict=True)):
            yield from _changes(one, other, at=(*at, index))
    else:
        yield at, _NOTHING if after in (None, []) else after


def _entries(value: object) -> list[dict[str, object]]:
    """The sections of a list of sections; [] for anything else."""
    each_one = cast("list[object]", value) if isinstance(value, list) else []
    found = [cast("dict[str, object]", each) for each in each_one if isinstance(each, dict)]
    return found if len(found) == len(each_one) else []


def _with(text: str, steps: Steps, value: object) -> str:
    """Write one value, or remove it where it is `_NOTHING`."""
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    node, key, parents = root, None, list[yaml.Node]()
    for depth, step in enumerate(steps):
        pair = _pair(node, step)
        if pair is None:
            return text if value is _NOTHING else _insert_field(text, node, steps[depth:], value, top=depth == 0)
        parents.append(cast("yaml.Node", node))
        key, node = pair
    if key is None or node is None:
        raise _LayoutError
    if value is _NOTHING:
        return _remove_field(text, parents, key, node)
    start, end = key.end_mark.index, _end(node)
    colon = text.index(":", start) + 1
    return f"{text[:colon]} {_format_value(value)}{text[end:]}"


def _pair(node: yaml.Node | None, step: str | int) -> tuple[yaml.Node, yaml.Node] | None:
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int):
        return node.value[step], node.value[step]
    if isinstance(node, yaml.MappingNode):
        return next(((key, value) for key, value in node.value if key.value == step), None)
    return None


def _end(node: yaml.Node) -> int:
    """End of the last word of a node; the mark of a block is behind the comments that follow it."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last: object = node.value[-1]
        return _end(cast("yaml.Node", cast("tuple[object, object]", last)[1] if isinstance(last, tuple) else last))
    return node.end_mark.index


def _remove_field(text: str, parents: list[yaml.Node], key: yaml.Node, node: yaml.Node) -> str:
    parent = parents[-1]
    if not isinstance(parent, yaml.MappingNode):
        raise _LayoutError
    if parent.flow_style:
        return _remove_flow_field(text, parent, key, node)
    if len(parent.value) == 1:
        return f"{text[: key.start_mark.index]}{{}}{text[_end(node) :]}"
    line = text.rfind("\n", 0, key.start_mark.index) + 1
    if text[line : key.start_mark.index].strip():
        raise _LayoutError  # the first field of a list's entry stands behind its dash
    end = text.find("\n", _end(node)) + 1
    return text[:line] + text[end or len(text) :]


def _remove_flow_field(text: str, parent: yaml.MappingNode, key: yaml.Node, node: yaml.Node) -> str:
    """Without one field of a section in braces, and without one of the commas beside it."""
    pairs = cast("list[tuple[yaml.Node, yaml.Node]]", parent.value)
    at = next(index for index, (name, _) in enumerate(pairs) if name is key)
    if at + 1 < len(pairs):
        return text[: key.start_mark.index] + text[pairs[at + 1][0].start_mark.index :]
    start = pairs[at - 1][1].end_mark.index if at else key.start_mark.index
    return text[:start] + text[node.end_mark.index :]


def _insert_field(text: str, node: yaml.Node | None, steps: Steps, value: object, *, top: bool) -> str:
    for step in reversed(steps[1:]):
        value = {step: value}
    entry = f"{steps[0]}: {_format_value(value)}\n"
    if isinstance(node, yaml.MappingNode) and node.flow_style:
        brace = node.start_mark.index + 1
        return f"{text[:brace]}{entry.rstrip()}{', ' if node.value else ''}{text[brace:]}"
    if top:
        body = cast("dict[str, object]", value) if isinstance(value, dict) else None
        inner = "".join(f"  {name}: {_format_value(each)}\n" for name, each in body.items()) if body else ""
        above, below = _split_at_document_end(text, node)
        return f"{above}\n{steps[0]}:\n{inner}{below}" if body else f"{above}\n{entry}{below}"
    if not isinstance(node, yaml.MappingNode) or not node.value:
        raise _LayoutError
    first = node.value[0][0].start_mark
    line = text.rfind("\n", 0, first.index) + 1
    if text[line : first.index].strip():
        after = text.find("\n", _end(node.value[0][1])) + 1
        return f"{text[:after]}{' ' * first.column}{entry}{text[after:]}"
    return f"{text[:line]}{' ' * first.column}{entry}{text[line:]}"


def _split_at_document_end(text: str, root: yaml.Node | None) -> tuple[str, str]:
    """The text before and from the mark that ends a document, where there is one."""
    mark = text.find("\n...", _end(root)) if root is not None else -1
    return (text, "") if mark < 0 else (text[: mark + 1], text[mark + 1 :])


def _with_heading(text: str, heading: str) -> str:
    """With the heading below the line that tells editors of the schema; that of an earlier clone goes."""
    text = _EARLIER.sub("", text)
    first, rest = text.split("\n", 1)
    if first.startswith("# yaml-language-server"):
        return f"{first}\n#\n# {heading}\n{rest}"
    return f"# {heading}\n{text}"


def _format_value(value: object) -> str:
    if isinstance(value, dict):
        fields = {name: each for name, each in cast("dict[str, object]", value).items() if each not in (None, [])}
        return "{" + ", ".join(f"{name}: {_format_value(each)}" for name, each in fields.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_format_value(each) for each in cast("list[object]", value)) + "]"
    if isinstance(value, str):
        is_word = set(value) <= _PLAIN and value[:1].isalnum() and value.casefold() not in _WORDS
        return value if is_word else json.dumps(value, ensure_ascii=False)
    return json.dumps(value)
