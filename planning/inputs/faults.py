"""Faults with a place: a location in the model becomes a line, a column and the source line above the caret."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from planning.inputs.yaml_nodes import Fields, Items, Node, TextPosition
from planning.values.errors import Fault

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

LONGEST_SHOWN: Final = 200  # characters of a source line that are repeated in a fault


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceText:
    """A text, line by line, under the name its faults are reported with."""

    file: str
    lines: Sequence[str]

    def build_fault(self, message: str, *, place: TextPosition, hint: str = "", path: str = "") -> Fault:
        line = self.lines[place.line - 1] if place.line <= len(self.lines) else ""
        return Fault(
            message=message,
            file=self.file,
            line=place.line,
            column=place.column,
            source_line=line[:LONGEST_SHOWN] if place.column <= LONGEST_SHOWN else "",
            hint=hint,
            path=path,
        )


def locate(root: Node, path: Sequence[str | int], *, at_key: bool = False) -> TextPosition:
    """Where the value at `path` starts, or its key; for what the text does not have, the section it belongs to."""
    node, key = root, root.place
    for part in path:
        if isinstance(part, str) and isinstance(node, Fields) and part in node.entries:
            key, node = node.entries[part]
        elif isinstance(part, int) and isinstance(node, Items) and part < len(node.nodes):
            node = node.nodes[part]
            key = node.place
        else:
            return key
    return key if at_key else node.place


def spell(path: Iterable[str | int]) -> str:
    """A path as people write it: "workloads[0].model.parameters"."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")


def nearest(word: str, words: Iterable[str]) -> str:
    """The one of `words` that was most likely meant, "" when none is near."""
    by_shape = {_shape(known): known for known in words}
    shape = _shape(word)
    same_letters = [each for each in by_shape if sorted(each) == sorted(shape)]  # two of them were exchanged
    close = same_letters or get_close_matches(shape, by_shape, n=1, cutoff=0.6)
    return by_shape[close[0]] if close else ""


def _shape(word: str) -> str:
    return word[:LONGEST_SHOWN].casefold().replace("-", "_").replace(" ", "_")
