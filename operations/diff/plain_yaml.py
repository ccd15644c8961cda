"""A YAML file of a tree that anybody may have written, as plain values: no links, no aliases, no depth without end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planning.inputs.yaml_document import read_fields
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def sections(path: Path) -> Mapping[str, object] | None:
    """The file's mapping, read as a checklist is; nothing of an empty file, None of one that cannot be read."""
    try:
        return None if path.is_symlink() else read_fields(path)
    except InputError:
        return None
