"""Nodes of a YAML text as plain values; what was refused is a marker, so that nothing more is said about it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from planning.inputs import scalars
from planning.inputs.faults import spell
from planning.inputs.yaml_nodes import Fields, Items, Node, Note, Refused

if TYPE_CHECKING:
    from collections.abc import Collection

REFUSED: Final = object()
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}")


def plain(
    node: Node,
    *,
    notes: list[Note],
    path: tuple[str | int, ...] = (),
    dates: bool = False,
    days: Collection[tuple[str | int, ...]] = (),
) -> object:
    """The value of a node; what may not be written so is added to `notes`.

    Args:
        dates: whether the text has dates, which stay text ("2026-12-31").
        days: paths of the fields that are a date: what stands there stays text, and whoever reads it judges.
    """
    if isinstance(node, Fields):
        entries = node.entries.items()
        return {
            key: plain(value, notes=notes, path=(*path, key), dates=dates, days=days) for key, (_, value) in entries
        }
    if isinstance(node, Items):
        return [
            plain(item, notes=notes, path=(*path, index), dates=dates, days=days)
            for index, item in enumerate(node.nodes)
        ]
    if isinstance(node, Refused):
        return REFUSED
    if not node.plain or (dates and _DATE.fullmatch(node.text)) or (path in days and scalars.dated(node.text)):
        return node.text
    if (objection := scalars.objection(node.text)) is not None:
        notes.append(Note(objection[0], node.place, objection[1], spell(path)))
        return REFUSED
    return scalars.value(node.text)
