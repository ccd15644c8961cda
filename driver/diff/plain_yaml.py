"""A YAML file of a tree that anybody may have written, as plain values: no links, no aliases, no depth without end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from planning.checklist.plain_values import REFUSED, plain
from planning.checklist.yaml_nodes import Fields, Note, compose

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

MOST_BYTES: Final = 10**6


def sections(path: Path) -> Mapping[str, object] | None:
    """The file's mapping, read as a checklist is; nothing of an empty file, None of one that cannot be read."""
    try:
        if path.is_symlink() or path.stat().st_size > MOST_BYTES:
            return None
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError):
        return None
    root, notes = compose(text)
    found: list[Note] = []
    fields = plain(root, notes=found, dates=True) if isinstance(root, Fields) else None
    if notes or found or fields is REFUSED:
        return None
    if fields is None:
        return None if any(line.split("#")[0].strip() for line in text.splitlines()) else {}
    return cast("dict[str, object]", fields)
