"""YAML text to nodes that know their place, without anchors, tags or a second document.

Built from the parser's events and not from PyYAML's own nodes: depth is bounded before anything recurses, an alias is
never expanded, a repeated key is still seen, and numbers stay text until a field says what they are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, final

import yaml

from catalogs.files import CONTROL_CHARACTER

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@dataclass(frozen=True, slots=True)
class SyntaxComplaint:
    """A complaint in words; `at_opening` when the place to look at is where the bracket or quote was opened."""

    message: str
    hint: str = ""
    at_opening: bool = False


_TAB: Final = SyntaxComplaint("a tab stands where only spaces may", "indent with two spaces")
_INDENT: Final = SyntaxComplaint(
    "this line is not indented like the lines it belongs to",
    "lines of one section start in the same column; list items start with a dash in the same column",
)
# Part of what libyaml or PyYAML says -> what we say. The first that matches wins.
_WORDS: Final = (
    (
        "unexpected end of stream",
        SyntaxComplaint("a quote is opened here and never closed", "close it on the same line", at_opening=True),
    ),
    (
        "or ']'",
        SyntaxComplaint('"[" is opened here and never closed', 'close it with "]"', at_opening=True),
    ),
    (
        "or '}'",
        SyntaxComplaint('"{" is opened here and never closed', 'close it with "}"', at_opening=True),
    ),
    (
        "mapping values are not allowed",
        SyntaxComplaint(
            'a ":" stands where no value may follow',
            'put text that holds ": " in quotes, and check the indentation of this line',
        ),
    ),
    (
        "could not find expected ':'",
        SyntaxComplaint('a field without ":"', 'write "name: value"', at_opening=True),
    ),
    ("expected '-' indicator", _INDENT),
    ("did not find expected key", _INDENT),
    ("expected <block end>", _INDENT),
    ("unknown escape", SyntaxComplaint("a backslash that means nothing here", "use single quotes")),
    ("incompatible yaml document", SyntaxComplaint("an unknown YAML version", 'delete the line "%YAML"')),
)


def in_words(problem: str, *, lines: Sequence[str], line: int, column: int) -> SyntaxComplaint:
    """The parser's `problem` at a line and column (from 1), in plain words with a hint."""
    source = lines[line - 1] if line <= len(lines) else ""
    if "tab" in problem or "\t" in _indentation(source):
        return _TAB
    if "mapping values are not allowed" in problem and _no_colon(before := _line_before(lines, line=line)):
        return SyntaxComplaint('the line before this one has no ":"', f'write it as "{before.strip()[:40]}: ..."')
    if "cannot start any token" in problem:
        sign = source[column - 1 : column]
        return SyntaxComplaint(f'a value may not start with "{sign}"', f'put it in quotes, as in "{sign}..."')
    for part, said in _WORDS:
        if part in problem.casefold():
            return said
    return SyntaxComplaint(f"this is not YAML: {problem}")


def _line_before(lines: Sequence[str], *, line: int) -> str:
    written = (text for text in reversed(lines[: line - 1]) if text.strip() and not text.lstrip().startswith("#"))
    return next(written, "")


def _no_colon(text: str) -> bool:
    return bool(text) and ":" not in text and not text.lstrip().startswith(("-", "[", "{"))


def _indentation(source: str) -> str:
    return source[: len(source) - len(source.lstrip())]


MAX_DEPTH: Final = 32  # the deepest field of a checklist lies at 5
MAX_VALUES: Final = 20_000  # names and values; a large checklist has 300
LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class TextPosition:
    """Where something starts; both count from 1."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class YamlFault:
    """A fault of the YAML itself."""

    message: str
    place: TextPosition
    hint: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class RejectedValue:
    """A value already reported; nothing more is said about it."""

    place: TextPosition


@dataclass(frozen=True, slots=True)
class Scalar:
    """Text; `plain` when written without quotes, so that it may mean a number, true, false or nothing."""

    text: str
    plain: bool
    place: TextPosition


@dataclass(frozen=True, slots=True)
class Items:
    """A list."""

    nodes: tuple[Node, ...]
    place: TextPosition


@dataclass(frozen=True, slots=True)
class Fields:
    """A mapping: for each key its own place and its value."""

    entries: dict[str, tuple[TextPosition, Node]]
    place: TextPosition


Node = RejectedValue | Scalar | Items | Fields


@dataclass(slots=True)
class _Open:
    """A list or mapping whose end has not been read."""

    place: TextPosition
    mapping: bool
    refused: bool
    nodes: list[Node] = field(default_factory=list[Node])


def compose(text: str) -> tuple[Node | None, tuple[YamlFault, ...]]:
    """The root node (None for an empty text, or where the syntax is broken) and every fault of the YAML."""
    builder = _Builder()
    try:
        for event in _events(text):
            if not builder.take(event):
                break
    except yaml.MarkedYAMLError as error:
        builder.notes.append(_syntax_note(error, text=text))
        return None, tuple(builder.notes)
    except yaml.YAMLError as error:  # pragma: no cover - unprintable characters are refused before
        builder.notes.append(YamlFault(f"this is not YAML: {error}", TextPosition(1, 1)))
        return None, tuple(builder.notes)
    return builder.root, tuple(builder.notes)


def _events(text: str) -> Iterator[yaml.Event]:
    return yaml.parse(text, Loader=LOADER)


def _syntax_note(error: yaml.MarkedYAMLError, *, text: str) -> YamlFault:
    mark = error.problem_mark or error.context_mark
    place = TextPosition(mark.line + 1, mark.column + 1) if mark else TextPosition(1, 1)
    start = error.context_mark
    opened = TextPosition(start.line + 1, start.column + 1) if start else None
    said = in_words(error.problem or "", lines=text.splitlines(), line=place.line, column=place.column)
    if said.at_opening and opened is not None:
        place = opened
    return YamlFault(said.message, place, said.hint)


@final
class _Builder:
    """Turns events into nodes, one at a time, with a stack of its own."""

    def __init__(self) -> None:
        self.root: Node | None = None
        self.notes: list[YamlFault] = []
        self._stack: list[_Open] = []
        self._documents = 0
        self._values = 0

    def take(self, event: yaml.Event) -> bool:
        """Add one event; False to read no further."""
        if isinstance(event, yaml.DocumentStartEvent):
            return self._open_document(event)
        if isinstance(event, yaml.NodeEvent):
            self._refuse_anchor(event)
            self._values += 1
        # Counted while it is read: a huge file costs no more than its beginning.
        if self._values > MAX_VALUES:
            self._say(f"more than {MAX_VALUES} names and values", event, hint="a checklist is a page or two of text")
            return False
        if isinstance(event, yaml.AliasEvent):
            self._add(RejectedValue(_place(event)))
        elif isinstance(event, yaml.ScalarEvent):
            self._add(
                self._refuse_tag(event)
                or self._refuse_control_character(event)
                or Scalar(event.value, not event.style, _place(event))
            )
        elif isinstance(event, yaml.CollectionStartEvent):
            return self._open(event)
        elif isinstance(event, yaml.CollectionEndEvent):
            self._add(self._close())
        return True

    def _open_document(self, event: yaml.Event) -> bool:
        self._documents += 1
        if self._documents > 1:
            self._say(
                "a second document starts here; one file holds one checklist", event, hint='delete the line "---"'
            )
        return self._documents == 1

    def _open(self, event: yaml.CollectionStartEvent) -> bool:
        refused = self._refuse_tag(event) is not None
        mapping = isinstance(event, yaml.MappingStartEvent)
        self._stack.append(_Open(_place(event), mapping=mapping, refused=refused))
        if len(self._stack) <= MAX_DEPTH:
            return True
        self._say(f"nested deeper than {MAX_DEPTH} levels", event, hint="no field of a checklist lies that deep")
        return False

    def _close(self) -> Node:
        done = self._stack.pop()
        if done.refused:
            return RejectedValue(done.place)
        if not done.mapping:
            return Items(tuple(done.nodes), done.place)
        entries: dict[str, tuple[TextPosition, Node]] = {}
        for key, value in zip(done.nodes[::2], done.nodes[1::2], strict=True):
            self._enter(entries, key=key, value=value)
        return Fields(entries, done.place)

    def _enter(self, entries: dict[str, tuple[TextPosition, Node]], *, key: Node, value: Node) -> None:
        if isinstance(key, RejectedValue):
            return
        if not isinstance(key, Scalar):
            self.notes.append(YamlFault("a field name must be one word", key.place))
        elif key.text in entries:
            first = entries[key.text][0].line
            message = f'"{key.text}" is written twice here, on line {first} and on line {key.place.line}'
            self.notes.append(YamlFault(message, key.place, "keep one of the two"))
        else:
            entries[key.text] = (key.place, value)

    def _add(self, node: Node) -> None:
        if self._stack:
            self._stack[-1].nodes.append(node)
        else:
            self.root = node

    def _refuse_anchor(self, event: yaml.NodeEvent) -> None:
        if event.anchor is None:
            return
        sign = "*" if isinstance(event, yaml.AliasEvent) else "&"
        message = f'"{sign}{event.anchor}": anchors and aliases are not used in a checklist'
        self._say(message, event, hint="write the value out at each place that needs it")

    def _refuse_tag(self, event: yaml.ScalarEvent | yaml.CollectionStartEvent) -> RejectedValue | None:
        if event.tag is None:
            return None
        tag = event.tag.replace("tag:yaml.org,2002:", "!!")
        self._say(f'"{tag}": tags are not used in a checklist', event, hint="write the plain value")
        return RejectedValue(_place(event))

    def _refuse_control_character(self, event: yaml.ScalarEvent) -> RejectedValue | None:
        """Refuse a character that no text has, such as ESC, written as an escape in quotes."""
        if (found := CONTROL_CHARACTER.search(event.value)) is None:
            return None
        self._say(f"character U+{ord(found[0]):04X} is not text", event, hint="delete the escape")
        return RejectedValue(_place(event))

    def _say(self, message: str, event: yaml.Event, *, hint: str) -> None:
        self.notes.append(YamlFault(message, _place(event), hint))


def _place(event: yaml.Event) -> TextPosition:
    mark = event.start_mark
    return TextPosition(mark.line + 1, mark.column + 1) if mark else TextPosition(1, 1)
