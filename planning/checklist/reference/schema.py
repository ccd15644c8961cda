"""The checklist's JSON Schema, from the model: what an editor completes and explains while a customer writes.

`.venv/bin/python -m planning.checklist.reference.schema > stacks/checklist.schema.json`
"""

from __future__ import annotations

import json
import sys
from typing import Any, Final, cast

from planning.checklist.model.checklist import Checklist

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
TITLE: Final = "Atoll checklist"
UNITS: Final = {"2TB": "GB", "5Gbps": "Gbps", "7B": "", "30d": "d"}  # example of a quantity -> unit it is kept in
_QUOTED_NUMBERS: Final = ({"number", "string"}, {"number", "string", "null"})

Schema = dict[str, Any]


def document() -> Schema:
    schema = cast("Schema", _tidy(Checklist.model_json_schema()))
    return {"$schema": DIALECT, "title": TITLE, **schema}


def text() -> str:
    """The schema as it is committed: two spaces, one line end at the end, the model's own order."""
    return json.dumps(document(), indent=2, ensure_ascii=False) + "\n"


def _tidy(value: object, *, names: bool = False) -> object:
    """Without invented titles; `names` where the keys are field names, of which "title" could be one."""
    if isinstance(value, list):
        return [_tidy(item) for item in cast("list[object]", value)]
    if not isinstance(value, dict):
        return value
    schema = cast("Schema", value)
    if not names:
        schema = _with_unit(_plain_number(schema))
    return {
        key: _tidy(inner, names=not names and key in {"properties", "$defs"})
        for key, inner in schema.items()
        if names or key != "title"
    }


def _plain_number(schema: Schema) -> Schema:
    """A number that may also be quoted is shown as a number."""
    choices = cast("list[Schema]", schema.get("anyOf", []))
    if {str(choice.get("type")) for choice in choices} not in _QUOTED_NUMBERS:
        return schema
    kept = [choice for choice in choices if choice["type"] != "string"]
    rest = {key: inner for key, inner in schema.items() if key != "anyOf"}
    if isinstance(rest.get("default"), str):
        rest["default"] = _json_number(cast("str", rest["default"]))
    return {**kept[0], **rest} if len(kept) == 1 else {"anyOf": kept, **rest}


def _with_unit(schema: Schema) -> Schema:
    """A default that can be written back as it is shown."""
    example = next(iter(schema.get("examples", ())), "")
    if example not in UNITS or schema.get("default") is None:
        return schema
    return {**schema, "default": f"{schema['default']}{UNITS[example]}"}


def _json_number(number: str) -> int | float:
    return float(number) if "." in number else int(number)


if __name__ == "__main__":
    sys.stdout.write(text())
