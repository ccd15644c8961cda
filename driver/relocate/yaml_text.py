"""A YAML file that a person writes for a relocation: its text, its nodes with their places, its faults so far."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from planning.checklist.faults import Source, locate, spell
from planning.checklist.yaml_nodes import Place, compose
from planning.errors import Fault, InputError, counted

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from driver.relocate.broken_rule import FieldPath
    from planning.checklist.yaml_nodes import Note

MAX_BYTES: Final = 1_000_000


def text_of(path: Path) -> str:
    """The text of a file.

    Raises:
        FileNotFoundError: there is none; what that means is for the caller to say.
        InputError: it cannot be read, is no text, or is over `MAX_BYTES`.
    """
    try:
        content = path.read_bytes()
        text = content.decode("utf-8-sig")
    except FileNotFoundError:
        raise
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not a text file", hint="save it as UTF-8 text") from error
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or 'cannot be read'}") from error
    if len(content) > MAX_BYTES:
        raise InputError(f"{path}: over {MAX_BYTES // 10**6} MB", hint="it is a page of text")
    return text


@final
class YamlText:
    """A text, its nodes, and the faults found so far.

    Attributes:
        root: None where the text is empty or its syntax is broken.
        notes: faults of the YAML itself; whoever reads the text says them.
    """

    def __init__(self, text: str, *, file: str) -> None:
        self._source = Source(file=file, lines=text.splitlines())
        self.root, self.notes = compose(text)
        self.faults: list[Fault] = []

    def say(self, notes: Iterable[Note]) -> None:
        """Add faults of the YAML itself, whose words are those for a checklist."""
        for each in notes:
            self.add(_of_this_file(each.message), each.place, hint=_of_this_file(each.hint))

    def add(self, message: str, place: Place, *, hint: str = "", path: FieldPath = ()) -> None:
        """Add a fault."""
        self.faults.append(self._source.fault(message, place=place, hint=hint, path=spell(path)))

    def at(self, path: FieldPath, *, at_key: bool = False) -> Place:
        """Where the value at a path starts, or its key; the beginning where the text has no nodes."""
        return locate(self.root, path, at_key=at_key) if self.root else Place(1, 1)

    def refusal(self) -> InputError:
        """Every fault so far, in the order of the lines."""
        ordered = sorted(self.faults, key=lambda fault: (fault.line, fault.column))
        return InputError(f"{self._source.file}: {counted(ordered)}", faults=ordered)


def _of_this_file(words: str) -> str:
    return words.replace("a checklist", "this file")
