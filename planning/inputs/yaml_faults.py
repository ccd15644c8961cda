"""What a YAML parser complains about, in words for someone who has never seen a parser."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A complaint in words; `at_opening` when the place to look at is where the bracket or quote was opened."""

    message: str
    hint: str = ""
    at_opening: bool = False


_TAB: Final = Said(message="a tab stands where only spaces may", hint="indent with two spaces")
_INDENT: Final = Said(
    message="this line is not indented like the lines it belongs to",
    hint="lines of one section start in the same column; list items start with a dash in the same column",
)
# Part of what libyaml or PyYAML says -> what we say. The first that matches wins.
_WORDS: Final = (
    (
        "unexpected end of stream",
        Said(message="a quote is opened here and never closed", hint="close it on the same line", at_opening=True),
    ),
    ("or ']'", Said(message='"[" is opened here and never closed', hint='close it with "]"', at_opening=True)),
    ("or '}'", Said(message='"{" is opened here and never closed', hint='close it with "}"', at_opening=True)),
    (
        "mapping values are not allowed",
        Said(
            message='a ":" stands where no value may follow',
            hint='put text that holds ": " in quotes, and check the indentation of this line',
        ),
    ),
    ("could not find expected ':'", Said(message='a field without ":"', hint='write "name: value"', at_opening=True)),
    ("expected '-' indicator", _INDENT),
    ("did not find expected key", _INDENT),
    ("expected <block end>", _INDENT),
    ("unknown escape", Said(message="a backslash that means nothing here", hint="use single quotes")),
    ("incompatible yaml document", Said(message="an unknown YAML version", hint='delete the line "%YAML"')),
)


def in_words(problem: str, *, lines: Sequence[str], line: int, column: int) -> Said:
    """The parser's `problem` at a line and column (from 1), in plain words with a hint."""
    source = lines[line - 1] if line <= len(lines) else ""
    if "tab" in problem or "\t" in _indentation(source):
        return _TAB
    if "mapping values are not allowed" in problem and _no_colon(before := _line_before(lines, line=line)):
        return Said(message='the line before this one has no ":"', hint=f'write it as "{before.strip()[:40]}: ..."')
    if "cannot start any token" in problem:
        sign = source[column - 1 : column]
        return Said(message=f'a value may not start with "{sign}"', hint=f'put it in quotes, as in "{sign}..."')
    for part, said in _WORDS:
        if part in problem.casefold():
            return said
    return Said(message=f"this is not YAML: {problem}")


def _line_before(lines: Sequence[str], *, line: int) -> str:
    written = (text for text in reversed(lines[: line - 1]) if text.strip() and not text.lstrip().startswith("#"))
    return next(written, "")


def _no_colon(text: str) -> bool:
    return bool(text) and ":" not in text and not text.lstrip().startswith(("-", "[", "{"))


def _indentation(source: str) -> str:
    return source[: len(source) - len(source.lstrip())]
