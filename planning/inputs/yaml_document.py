"""A YAML file that a person writes: its text, its nodes with their places, its faults so far.

Read as a checklist is: no aliases (a few lines of them unpack to gigabytes), no tags, bounded depth and length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast, final

from planning.inputs.faults import SourceText, locate, spell
from planning.inputs.files import MissingFileError, read_text
from planning.inputs.plain_values import plain
from planning.inputs.yaml_nodes import Fields, Scalar, TextPosition, YamlFault, compose
from planning.values.errors import Fault, InputError, format_fault_count

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    FieldPath = tuple[str | int, ...]


def read_fields(path: Path, *, hint: str = "", may_be_missing: bool = False) -> Mapping[str, object]:
    """The mapping in a file; nothing where the file is empty. Dates stay text, and so do numbers with a point.

    Args:
        may_be_missing: no file is an empty one.

    Raises:
        MissingFileError: there is none, and must be.
        InputError: not readable, or with every fault of the YAML.
    """
    try:
        text = read_text(path, hint=hint)
    except MissingFileError:
        if may_be_missing:
            return {}
        raise
    return parse_fields(text, file=str(path))


def parse_fields(text: str, *, file: str) -> Mapping[str, object]:
    """The mapping in a text; `file` is only its name in faults.

    Raises:
        InputError: with every fault of the YAML.
    """
    written = YamlText(text, file=file)
    written.say(written.notes)
    fields: Mapping[str, object] = {}
    if isinstance(written.root, Fields):
        notes: list[YamlFault] = []
        fields = cast("dict[str, object]", plain(written.root, notes=notes, dates=True))
        written.say(notes)
    elif not written.faults and not written.is_empty:
        written.add("it is made of names and values", TextPosition(1, 1), hint='as in "name: value"')
    if written.faults:
        raise written.build_refusal()
    return fields


@final
class YamlText:
    """A text, its nodes, and the faults found so far.

    Attributes:
        root: None where the text is empty or its syntax is broken.
        notes: faults of the YAML itself; whoever reads the text says them.
    """

    def __init__(self, text: str, *, file: str) -> None:
        self.source = SourceText(file=file, lines=text.splitlines())
        self.root, self.notes = compose(text)
        self.faults: list[Fault] = []

    @property
    def is_empty(self) -> bool:
        """Whether nothing is in the text but comments."""
        return self.root is None or (isinstance(self.root, Scalar) and self.root.plain and not self.root.text)

    def say(self, notes: Iterable[YamlFault]) -> None:
        """Add faults of the YAML itself, whose words are those for a checklist."""
        for each in notes:
            self.add(_of_this_file(each.message), each.place, hint=_of_this_file(each.hint))

    def add(self, message: str, place: TextPosition, *, hint: str = "", path: FieldPath = ()) -> None:
        self.faults.append(self.source.build_fault(message, place=place, hint=hint, path=spell(path)))

    def at(self, path: FieldPath, *, at_key: bool = False) -> TextPosition:
        """Where the value at a path starts, or its key; the beginning where the text has no nodes."""
        return locate(self.root, path, at_key=at_key) if self.root else TextPosition(1, 1)

    def build_refusal(self) -> InputError:
        """Every fault so far, in the order of the lines."""
        ordered = sorted(self.faults, key=lambda fault: (fault.line, fault.column))
        return InputError(f"{self.source.file}: {format_fault_count(ordered)}", faults=ordered)


def _of_this_file(words: str) -> str:
    return words.replace("a checklist", "this file")
