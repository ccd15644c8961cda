"""One census for every file that a user hands in: a field changes what is read, is refused, or is listed as unused."""

from __future__ import annotations

import copy
import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from planning.values.errors import AtollError

FieldPath = tuple[str | int, ...]
STRANGE = "surprise"  # a field that no format has


@dataclass(frozen=True, kw_only=True)
class Census:
    """One format of a file.

    Args:
        bases: files as trees, each sound; a field needs to have an effect in one of them.
        read: what is made of a file, to be compared; AtollError where it is refused.
        text: a tree as the file's text.
        others: other values of a field that its type does not say, by its key.
        unused: keys of fields without an effect, with the reason; "rows[].surprise" for any field that is unknown.
    """

    name: str
    bases: tuple[Any, ...]
    read: Callable[[Path], object]
    text: Callable[[Any], str]
    others: Mapping[str, tuple[object, ...]] = field(default_factory=dict)
    unused: Mapping[str, str] = field(default_factory=dict)

    def outcome(self, tree: Any, folder: Path) -> str:
        """What is read, as a text; "refused" where it is refused."""
        path = folder / self.name
        path.write_text(self.text(tree), encoding="utf-8")
        try:
            return repr(self.read(path))
        except AtollError:
            return "refused"

    def alters(self, base: Any, path: FieldPath, folder: Path) -> bool:
        """Whether another value of a field changes what is read."""
        before, now = self.outcome(base, folder), value_at(base, path)
        values = (*self.others.get(key_of(path), ()), *other_values(now))
        return any(self.outcome(with_value(base, path, each), folder) != before for each in values if each != now)


def leaves(tree: Any, at: FieldPath = ()) -> Iterator[FieldPath]:
    """The paths of all values that hold no others."""
    entries = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    if isinstance(tree, dict | list):
        for name, value in entries:
            yield from leaves(value, (*at, name))
    else:
        yield at


def sections(tree: Any, at: FieldPath = ()) -> Iterator[FieldPath]:
    """The paths of all mappings, the root among them."""
    if isinstance(tree, dict):
        yield at
    entries = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for name, value in entries:
        yield from sections(value, (*at, name))


def key_of(path: FieldPath) -> str:
    """A path without its numbers: "rows[].value"."""
    return "".join("[]" if isinstance(part, int) else f".{part}" for part in path).lstrip(".")


def value_at(tree: Any, path: FieldPath) -> Any:
    for part in path:
        tree = tree[part]
    return tree


def with_value(tree: Any, path: FieldPath, value: object) -> Any:
    """The same tree with another value at a path; a field is added where there is none."""
    if not path:
        return value
    whole = copy.deepcopy(tree)
    holder = value_at(whole, path[:-1])
    holder[path[-1]] = value
    return whole


def other_values(now: object) -> tuple[object, ...]:
    if isinstance(now, bool):
        return (not now,)
    if isinstance(now, int | float):
        return (now + 1, 0)
    return (f"{now}x", "")


def as_json(tree: Any) -> str:
    return json.dumps(tree)


def as_json_lines(tree: Any) -> str:
    return "".join(f"{json.dumps(each)}\n" for each in tree["rows"])


def as_yaml(tree: Any) -> str:
    return yaml.safe_dump(tree, sort_keys=False)


def as_table(tree: Any) -> str:
    """Comments as "# name: value", then rows that share their columns."""
    columns = list(dict.fromkeys(name for row in tree["rows"] for name in row))
    text = io.StringIO()
    text.writelines(f"# {name}: {value}\n" for name, value in tree.get("comments", {}).items())
    writer = csv.DictWriter(text, fieldnames=columns, restval="")
    writer.writeheader()
    writer.writerows(tree["rows"])
    return text.getvalue()
