"""Bills of providers and answers of OpenCost as rows in FOCUS columns."""

from __future__ import annotations

import json
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Final, cast

from planning.inputs.files import parse_json, read_content
from planning.inputs.rows import csv_rows, json_objects, open_lines
from planning.usage.columns import (
    CATEGORY,
    QUANTITY,
    ROW,
    START,
    TAG_COLUMNS,
    TAGS,
    UNIT,
    USAGE_TYPE,
    in_focus,
    missing,
)
from planning.values.errors import InputError
from planning.values.money import ZERO

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
            f"{path}: it has no tags, so the stack of its rows is unknown",
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


COST: Final = "networkInternetCost"
LARGEST_BYTES: Final = 64_000_000
HINT: Final = "ask OpenCost for /allocation?window=90d&step=1d&aggregate=cluster, and save its whole answer"


def opencost_rows(path: Path, *, usd_per_gb: Decimal) -> Iterator[Mapping[str, str]]:
    """One row for each allocation of each step.

    Args:
        usd_per_gb: what OpenCost is configured to reckon for a GB to the internet.

    Raises:
        InputError: not readable, or not an answer of OpenCost.
    """
    if usd_per_gb <= ZERO:
        raise InputError("a price of 0 USD for a GB tells no volume", hint="name the price that OpenCost uses")
    for step in _steps(path):
        for name, allocation in step.items():
            if not isinstance(allocation, dict):
                raise InputError(f"{path}: {name[:60]} is no allocation", hint=HINT)
            yield _row(cast("dict[str, object]", allocation), name, path, usd_per_gb=usd_per_gb)


def _steps(path: Path) -> list[dict[str, object]]:
    content = read_content(path, most_bytes=LARGEST_BYTES, hint="ask for fewer days at a time")
    document = parse_json(content, file=str(path), hint=HINT)
    answer: object = cast("dict[str, object]", document).get("data") if isinstance(document, dict) else None
    if not isinstance(answer, list):
        raise InputError(f"{path}: not an answer of OpenCost", hint=HINT)
    steps = [step for step in cast("list[object]", answer) if step is not None]  # null: nothing ran in that step
    if not all(isinstance(step, dict) for step in steps):
        raise InputError(f"{path}: a step is no object of allocations", hint=HINT)
    return cast("list[dict[str, object]]", steps)


def _row(allocation: Mapping[str, object], name: str, path: Path, *, usd_per_gb: Decimal) -> dict[str, str]:
    cost, start = allocation.get(COST), allocation.get("start")
    if not isinstance(start, str) or isinstance(cost, bool) or not isinstance(cost, int | float):
        raise InputError(f"{path}: {name[:60]} has no start and {COST}", hint=HINT)
    try:
        volume = Decimal(str(cost)) / usd_per_gb * 10**9
    except InvalidOperation as error:
        raise InputError(f"{path}: {name[:60]}: {COST} is no amount", hint=HINT) from error
    return {
        START: start,
        QUANTITY: str(volume),
        UNIT: "bytes",
        CATEGORY: "Usage",
        USAGE_TYPE: "DataTransfer-Out-Bytes",
        ROW: f"{start} {allocation.get('end')} {name}",
    }
