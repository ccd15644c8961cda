"""The reference page of the checklist, from its schema: one table for each section.

`.venv/bin/python -m planning.checklist.reference.page > docs/reference/checklist.md`
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, Final, cast

from planning.checklist.reference import schema
from planning.inputs.fact_tables import read_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


EXAMPLES: Final = {row["field"]: row["example"] for row in read_rows("checklist/examples.csv")}


Schema = dict[str, Any]

_HEAD: Final = """\
# The checklist

<!-- Generated from planning/checklist/model/checklist.py by: .venv/bin/python -m planning.checklist.reference.page -->

A checklist is one YAML file, `stacks/<stack>/checklist.yaml`. Only `customer` and `workloads` are required;
every other field has a default, shown here. `atoll init` asks the questions and writes a first one,
`atoll check <stack>` names every fault with its line.

Sizes, rates, counts and times are written with their unit: `2TB`, `5Gbps`, `7B`, `30d`.
GB is 10^9 bytes, GiB is 2^30 bytes. Truths are `true` and `false`. Anchors, tags and merge keys are not used.
"""
_QUANTITIES: Final = {"2TB": "size", "5Gbps": "rate", "7B": "count", "30d": "time"}  # example -> what it is called
_WORDS: Final = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false"}
_BOUNDS: Final = (("minimum", ">="), ("exclusiveMinimum", ">"), ("maximum", "<="), ("exclusiveMaximum", "<"))


def text() -> str:
    root = schema.document()
    parts = [_HEAD, *(_section(paths, section, root=root) for paths, section in _sections(root))]
    return "\n".join(parts)


def _sections(root: Schema) -> Iterator[tuple[tuple[str, ...], Schema]]:
    """Every section once, in the order of the model, with every path that leads to it."""
    paths: dict[str, list[str]] = {}
    _walk("", root, root=root, paths=paths)
    yield (), root
    for target, found in paths.items():
        yield tuple(dict.fromkeys(found)), cast("Schema", root["$defs"][target])


def _walk(path: str, section: Schema, *, root: Schema, paths: dict[str, list[str]]) -> None:
    for name, field in cast("Mapping[str, Schema]", section["properties"]).items():
        several = "[]" if field.get("type") == "array" else ""
        for target in _references(field):
            inner = cast("Schema", root["$defs"][target])
            if "properties" in inner:
                below = f"{path}.{name}{several}".removeprefix(".")
                paths.setdefault(target, []).append(below)
                _walk(below, inner, root=root, paths=paths)


def _references(field: object) -> Iterator[str]:
    if isinstance(field, list):
        for item in cast("list[object]", field):
            yield from _references(item)
    elif isinstance(field, dict):
        for key, inner in cast("Schema", field).items():
            if key == "$ref":
                yield str(inner).rpartition("/")[2]
            elif key not in {"default", "discriminator"}:
                yield from _references(inner)


def _section(paths: tuple[str, ...], section: Schema, *, root: Schema) -> str:
    required = set(section.get("required", ()))
    lines = [_title(paths, section), "", str(section.get("description", "")), ""]
    lines += ["| field | type | default | meaning | example |", "|---|---|---|---|---|"]
    for name, field in cast("Mapping[str, Schema]", section["properties"]).items():
        default = "required" if name in required else _default(field)
        example = _example(paths[0] if paths else "", name=name, field=field)
        cells = (f"`{name}`", _type(field, root=root), default, _meaning(field, root=root), example)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def _title(paths: tuple[str, ...], section: Schema) -> str:
    if not paths:
        return "## The whole"
    kind = section["properties"].get("kind", {}).get("const")
    return f"## {', '.join(f'`{path}`' for path in paths)}{f' of kind `{kind}`' if kind else ''}"


def _type(field: Schema, *, root: Schema) -> str:
    if "$ref" in field:
        return _name_type(cast("Schema", root["$defs"][next(_references(field))]))
    if "anyOf" in field or "oneOf" in field:
        choices = [choice for choice in (field.get("anyOf") or field.get("oneOf", [])) if choice.get("type") != "null"]
        return " or ".join(dict.fromkeys(_type(choice, root=root) for choice in choices))
    if "const" in field:
        return f"`{field['const']}`"
    if "enum" in field:
        return _one_of(field["enum"])
    if field.get("type") == "array":
        return f"list of: {_type(field['items'], root=root)}"
    return _scalar(field)


def _scalar(field: Schema) -> str:
    if (example := next(iter(field.get("examples", ())), "")) in _QUANTITIES:
        return _QUANTITIES[example]
    if field.get("format") == "ipv4network":
        return "address range"
    bounds = [f"{sign} {field[key]:g}" for key, sign in _BOUNDS if key in field]
    return ", ".join([_WORDS.get(str(field.get("type")), "text"), *bounds])


def _name_type(target: Schema) -> str:
    return _one_of(target["enum"]) if "enum" in target else "section"


def _one_of(words: list[object]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def _meaning(field: Schema, *, root: Schema) -> str:
    targets = [str(root["$defs"][name].get("description", "")) for name in _references(field)]
    return str(field.get("description") or next(iter(targets), ""))


def _default(field: Schema) -> str:
    default = field.get("default")
    if default in (None, [], {}):
        return "none"
    return "as below" if isinstance(default, dict) else f"`{_format_value(cast('object', default))}`"


def _example(path: str, *, name: str, field: Schema) -> str:
    value = EXAMPLES.get(f"{path}.{name}".removeprefix("."), "") or _show_example(field)
    return f"`{name}: {value}`" if value else ""


def _show_example(field: Schema) -> str:
    """An example that the type itself gives."""
    given = [example for part in (field, *field.get("anyOf", ())) for example in part.get("examples", ())]
    if given or "const" in field:
        return str(field.get("const", *given[:1]))
    default = field.get("default")
    return "" if default in (None, [], {}) or isinstance(default, dict) else _format_value(cast("object", default))


def _format_value(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_format_value, cast('list[object]', value)))}]"
    return value if isinstance(value, str) else json.dumps(value)


if __name__ == "__main__":
    sys.stdout.write(text())
