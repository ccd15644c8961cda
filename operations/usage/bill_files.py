"""Bills of providers and answers of OpenCost as rows in FOCUS columns."""

from __future__ import annotations

import json
import re
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import TYPE_CHECKING, Final, cast

from planning.inputs.files import parse_json, read_content
from planning.inputs.rows import MOST_COLUMNS, csv_rows, json_objects, open_lines
from planning.usage.columns import (
    CATEGORY,
    CLUSTER,
    LONGEST,
    POOL,
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
from planning.values.json_format import to_mappings
from planning.values.money import ZERO

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from planning.inputs.rows import BoundedLines


LARGEST_BYTES: Final = 64_000_000  # of an answer that is read whole
ANSWER_SUFFIX: Final = ".json"
ANSWER_ROWS: Final = "data"
PLAN: Final = frozenset({"x_LineKey", "x_PriceState"})  # columns of `planning.usage.focus_bill`
JSON_SUFFIXES: Final = (".json", ".jsonl", ".ndjson")


def rows(path: Path, *, tag: tuple[str, str] | None) -> Iterator[Mapping[str, str]]:
    """Rows of one file in FOCUS columns, only those with the tag where one is named.

    Args:
        tag: key and value; a column of the file may stand in for a key, where there are no tags.

    Raises:
        InputError: not readable, no table, or without the columns that are needed.
    """
    with open_lines(path) as lines:
        answer = _read_answer(path)
        if answer is not None:
            found: Iterator[Mapping[str, str]] = (dict(_flat(each)) for each in answer)
        else:
            found = _flat_rows(lines) if _is_json(path) else (row.cells for row in csv_rows(lines))
        heads: _Heads | None = None
        for row in found:
            if heads is None:
                heads = _Heads(row)
                heads.refuse_useless(path, tag=tag)
            elif not row.keys() <= heads.names:  # objects may leave out what is null
                heads = _Heads({**dict.fromkeys(heads.names, ""), **row})
                if len(heads.names) > MOST_COLUMNS:
                    lines.refuse(f"more than {MOST_COLUMNS:,} different names in objects")
            tags = heads.read_tags(row)
            if tag is None or _spell(tag[0], tags) == tag[1] or row.get(tag[0]) == tag[1]:
                told = heads.translate(row)
                yield {**told, POOL: tags.get(_POOL_TAG, ""), ROW: str(hash(frozenset(row.items())))}
        if heads is None:
            raise InputError(f"{path}: no rows", hint="export at least one whole month")


class _Heads:
    """What the columns of a file mean."""

    def __init__(self, row: Mapping[str, str]) -> None:
        self.names = frozenset(row)
        self._columns = in_focus(row)
        self._tag_columns = tuple(
            (name, next((each for each in TAG_COLUMNS if name.startswith(each)), ""))
            for name in row
            if self._columns.get(name) == TAGS or name.startswith(TAG_COLUMNS)
        )

    def refuse_useless(self, path: Path, *, tag: tuple[str, str] | None) -> None:
        """Refuse a file that nothing can be read from.

        Raises:
            InputError: a column is missing, or there is nothing that says which stack a row is of.
        """
        if self.names >= PLAN:
            raise InputError(
                f"{path}: a plan that Atoll wrote (--focus), not a bill", hint="export what the provider charged"
            )
        if lacking := missing(self.names):
            raise InputError(
                f"{path}: without {', '.join(lacking)}",
                hint="export FOCUS 1.0 or newer, CUR 2.0, or the detailed BigQuery export as CSV or NDJSON",
            )
        if tag is None or self._tag_columns or tag[0] in self.names:
            return
        hint = "activate the tag for cost allocation, or pass --all-rows where the account is this stack's alone"
        if CLUSTER in self.names:
            hint = (
                f"name the cluster, as in --tag {CLUSTER}=atoll-{tag[1]}; or pass --all-rows where it is the only one"
            )
        raise InputError(f"{path}: it has no tags, so the stack of its rows is unknown", hint=hint)

    def translate(self, row: Mapping[str, str]) -> dict[str, str]:
        """The row in FOCUS columns; of two columns that mean the same the one that says something."""
        told: dict[str, str] = {}
        for own, name in self._columns.items():
            # Exports carry two columns that mean the same, one of them empty.
            if own in row and not told.get(name):
                told[name] = row[own] or ""
        return told

    def read_tags(self, row: Mapping[str, str]) -> dict[str, str]:
        """Tags by their keys, as `_normalize` spells these."""
        found: dict[str, str] = {}
        for name, prefix in self._tag_columns:
            cell = row.get(name)
            if cell and prefix:
                found[_normalize(name.removeprefix(prefix))] = cell
            elif cell:
                found |= _read_short_tags(cell) if len(cell) < LONGEST else _read_tags(cell)
        return found


def _normalize(key: str) -> str:
    """A key as every export spells it."""
    # AWS has "user:" or "user_" before a key and CUR "_" for ":"; Google Cloud has "-".
    return re.sub(r"[^a-z0-9]", "_", key.casefold()).removeprefix("user_")


_POOL_TAG: Final = _normalize("atoll:pool")


def _spell(key: str, tags: Mapping[str, str]) -> str | None:
    return tags.get(_normalize(key))


def _read_answer(path: Path) -> list[dict[str, object]] | None:
    """The rows of an answer that is one JSON document, as CoreWeave's export API gives it; None for any other file."""
    if path.suffix.casefold() != ANSWER_SUFFIX or path.stat().st_size > LARGEST_BYTES:
        return None
    try:
        document = parse_json(read_content(path, most_bytes=LARGEST_BYTES, hint=""), file=str(path), hint="")
    except InputError:
        return None  # one object a line, or nothing that can be read: its lines tell
    found: object = cast("dict[str, object]", document).get(ANSWER_ROWS) if isinstance(document, dict) else document
    every = to_mappings(found)
    return every if isinstance(found, list) and found == every else None


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


@lru_cache(maxsize=4096)
def _read_short_tags(text: str) -> Mapping[str, str]:
    return _read_tags(text)


def _read_tags(text: str) -> Mapping[str, str]:
    """Tags of one cell: an object, or BigQuery's list of key and value; none where it is neither."""
    try:
        tags: object = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    if isinstance(tags, list):
        listed = [cast("dict[str, object]", each) for each in cast("list[object]", tags) if isinstance(each, dict)]
        tags = {str(each.get("key", "")): each.get("value", "") for each in listed}
    if not isinstance(tags, dict):
        return {}
    return {_normalize(str(key)): str(value) for key, value in cast("dict[object, object]", tags).items()}


COST: Final = "networkInternetCost"
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
