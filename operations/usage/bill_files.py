"""Files of a cloud's bill and of OpenCost, read row by row in the columns of FOCUS."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, cast

from planning.inputs.rows import csv_rows, json_objects, open_lines
from planning.usage.meters import ROW, TAG_COLUMNS, TAGS, in_focus, missing
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from planning.inputs.rows import BoundedLines

JSON_SUFFIXES: Final = (".json", ".jsonl", ".ndjson")


def rows(path: Path, *, tag: tuple[str, str] | None) -> Iterator[Mapping[str, str]]:
    """Rows of one file in FOCUS columns, only those with the tag where one is named.

    Raises:
        InputError: not readable, no table, or without the columns that are needed.
    """
    with open_lines(path) as lines:
        found = _flat_rows(lines) if _is_json(path) else (row.cells for row in csv_rows(lines))
        columns: dict[str, str] | None = None
        keys: set[str] = set()  # objects may leave out what is null
        for row in found:
            if columns is None:
                columns = _columns(row, path, tagged=tag is not None)
            elif row.keys() - keys:
                columns |= in_focus(row)
            keys |= row.keys()
            if tag is None or _has_tag(row, columns, tag):
                told = {name: row[own] or "" for own, name in columns.items() if own in row}
                yield {**told, ROW: str(hash(frozenset(row.items())))}
        if columns is None:
            raise InputError(f"{path}: no rows", hint="export at least one whole month")


def _is_json(path: Path) -> bool:
    return path.name.removesuffix(".gz").endswith(JSON_SUFFIXES)


def _flat_rows(lines: BoundedLines) -> Iterator[Mapping[str, str]]:
    """One object a line, as `bq extract` writes them; nested fields as "sku.description"."""
    for _, value in json_objects(lines):
        yield dict(_flat(value))


def _flat(value: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, part in value.items():
        if isinstance(part, dict) and name not in {TAGS, "labels"}:
            yield from _flat(cast("dict[str, object]", part), f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", part if isinstance(part, str) else "" if part is None else json.dumps(part)


def _columns(row: Mapping[str, str], path: Path, *, tagged: bool) -> dict[str, str]:
    lacking = missing(row)
    if lacking:
        raise InputError(
            f"{path}: without {', '.join(lacking)}",
            hint="export FOCUS 1.0 or newer, CUR 2.0, or the detailed BigQuery export as CSV or NDJSON",
        )
    columns = in_focus(row)
    if tagged and TAGS not in columns.values() and not any(name.startswith(TAG_COLUMNS) for name in row):
        raise InputError(
            f"{path}: it has no tags, so nobody can tell whose rows these are",
            hint="activate the tag for cost allocation, or pass --all-rows where the account is this stack's alone",
        )
    return columns


def _has_tag(row: Mapping[str, str], columns: Mapping[str, str], tag: tuple[str, str]) -> bool:
    key, value = tag
    mangled = key.replace(":", "_").casefold()
    for name, said in row.items():
        if columns.get(name) == TAGS and value in _tag_values(said or "", key):
            return True
        prefix = next((each for each in TAG_COLUMNS if name.startswith(each)), None)
        if prefix and said == value and name.removeprefix(prefix).replace(":", "_").casefold() == mangled:
            return True
    return False


def _tag_values(text: str, key: str) -> tuple[str, ...]:
    """Values of a key in a column of tags: an object, or BigQuery's list of key and value; "user:" may precede it."""
    try:
        tags: object = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        return ()
    keys = {key, f"user:{key}", key.replace(":", "_").casefold()}
    if isinstance(tags, dict):
        return tuple(str(each) for name, each in cast("dict[str, object]", tags).items() if name in keys)
    if isinstance(tags, list):
        found = [cast("dict[str, object]", each) for each in cast("list[object]", tags) if isinstance(each, dict)]
        return tuple(str(each.get("value", "")) for each in found if str(each.get("key", "")) in keys)
    return ()
