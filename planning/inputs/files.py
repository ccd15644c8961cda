"""Every file that a user hands in is read here: up to a limit, and refused in one sentence with file and line.

Text and JSON; rows of large files are in `planning.inputs.rows`, YAML in `planning.inputs.yaml_document`.
"""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Final, NoReturn, cast

from catalogs import files
from catalogs.files import MEGABYTE, UnreadableFileError
from planning.values.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MAX_JSON_DEPTH: Final = 100  # a preview of a Kubernetes object lies at 20
MAX_DIGITS: Final = 400  # of a number; a float written out has at most 309 before its point
LONGEST_SHOWN: Final = 60
_LOW: Final = r"\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_HIGH: Final = r"\\u[dD][89abAB][0-9a-fA-F]{2}"
_HALF_ESCAPE: Final = re.compile(rf"{_HIGH}(?!{_LOW})|(?<!{_HIGH}){_LOW}")
_HALF: Final = re.compile("[\ud800-\udfff]")
_UNFIT_NUMBER: Final = re.compile(
    rf"(?<=[\s:,\[])(?:-?(?:\d[\d.eE+-]{{{MAX_DIGITS},}}|\d[\d.]*[eE]\+?\d{{3,}}|Infinity)|NaN)(?=[\s,\]}}]|$)"
)
MORE_THAN_ONE: Final = "Extra data"  # as the standard library says it
_CUT: Final = "Unterminated string"


class MissingFileError(InputError):
    """There is no such file."""


class _UnfitError(ValueError):
    """Something that JSON or a program cannot keep, in words."""


def read_text(path: Path, *, most_bytes: int = MEGABYTE, hint: str = "") -> str:
    """The text of a file: UTF-8, without control characters.

    Raises:
        MissingFileError: there is none.
        InputError: it is no file, not readable, over the limit, or no such text.
    """
    try:
        return files.read_text(path, most_bytes=most_bytes)
    except UnreadableFileError as error:
        raise build_refusal(error, file=str(path), hint=hint) from error


def read_content(path: Path, *, most_bytes: int = MEGABYTE, hint: str = "") -> bytes:
    """The bytes of a file.

    Raises:
        MissingFileError: there is none.
        InputError: it is no file, not readable, or over the limit.
    """
    try:
        return files.read_content(path, most_bytes=most_bytes)
    except UnreadableFileError as error:
        raise build_refusal(error, file=str(path), hint=hint) from error


def read_json(path: Path, *, most_bytes: int = MEGABYTE, hint: str = "") -> object:
    """What a JSON file holds.

    Raises:
        MissingFileError: there is none.
        InputError: as `read_content` and `parse_json`.
    """
    return parse_json(read_content(path, most_bytes=most_bytes, hint=hint), file=str(path), hint=hint)


def read_object(path: Path, *, most_bytes: int = MEGABYTE, hint: str = "") -> dict[str, object]:
    """The object in a JSON file.

    Raises:
        MissingFileError: there is none.
        InputError: as `read_json`, or it holds something else.
    """
    return as_object(read_json(path, most_bytes=most_bytes, hint=hint), file=str(path), hint=hint)


def as_object(found: object, *, file: str, hint: str = "") -> dict[str, object]:
    """A parsed value, once it is an object.

    Raises:
        InputError: it is none.
    """
    if not isinstance(found, dict):
        raise InputError(f"{file}: JSON, but not an object", hint=hint)
    return cast("dict[str, object]", found)


def parse_json(
    content: bytes | str,
    *,
    file: str,
    hint: str = "",
    each_object: Callable[[dict[str, object]], object] | None = None,
    first_line: int = 1,
) -> object:
    """What a JSON text holds: no key twice, no NaN, no infinite or endless number, no half character, of bounded depth.

    Args:
        content: UTF-8, or what a Windows shell makes of it.
        file: its name, for messages.
        each_object: makes something smaller of every object while the rest is still unread.
        first_line: of the text in its file.

    Raises:
        InputError: with line and column where the fault has a place.
    """
    place = _JsonText(file=file, hint=hint, first_line=first_line)
    text = place.decode(content)
    found = place.parse(text, each_object)
    if _too_deep(found):
        place.refuse(f"nested deeper than {MAX_JSON_DEPTH} levels")
    # Half a character passes `json`, and fails only where the text is written.
    if "\\u" in text and (escape := _HALF_ESCAPE.search(text)) and _half(found):
        place.refuse("half a character (a lone surrogate)", at=_line_of(text, escape.start()))
    return found


def build_refusal(error: UnreadableFileError, *, file: str, hint: str = "") -> InputError:
    hint = error.hint or hint
    if error.is_missing:
        return MissingFileError(f"{file}: {error.reason}", hint=hint)
    if not error.line:
        return InputError(f"{file}: {error.reason}", hint=hint)
    fault = Fault(message=error.reason, file=file, line=error.line, column=error.column)
    return InputError(f"{file}: not a text file", faults=(fault,), hint=hint)


class _JsonText:
    """A text on its way to values, and how its faults are said."""

    def __init__(self, *, file: str, hint: str, first_line: int) -> None:
        self._file = file
        self._hint = hint
        self._first_line = first_line

    def refuse(self, reason: str, *, at: int = 0) -> NoReturn:
        message = f"{self._file}: not JSON that Atoll reads"
        line = at + self._first_line - 1 if at else self._first_line if self._first_line > 1 else 0
        raise InputError(message, faults=(Fault(message=reason, file=self._file, line=line),), hint=self._hint)

    def decode(self, content: bytes | str) -> str:
        if isinstance(content, str):
            return content.removeprefix("\ufeff")
        try:
            return content.decode(json.detect_encoding(content)).removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            self.refuse("not UTF-8 text", at=content.count(b"\n", 0, error.start) + 1)

    def parse(self, text: str, each_object: Callable[[dict[str, object]], object] | None) -> object:
        def once(pairs: list[tuple[str, object]]) -> object:
            found = dict(pairs)
            if len(found) < len(pairs):
                raise _UnfitError(f"the key {_twice(pairs)!r} stands twice in one object")
            return each_object(found) if each_object else found

        try:
            return cast(
                "object",
                json.loads(
                    text, object_pairs_hook=once, parse_int=_integer, parse_float=_float, parse_constant=_constant
                ),
            )
        except json.JSONDecodeError as error:
            raise self._build_error(error) from error
        except _UnfitError as error:
            self.refuse(str(error), at=_line_of_number(text))
        except RecursionError:
            self.refuse(f"nested deeper than {MAX_JSON_DEPTH} levels")

    def _build_error(self, error: json.JSONDecodeError) -> InputError:
        if not error.doc.strip():
            return InputError(f"{self._file} is empty", hint=self._hint or "did the command that writes it fail?")
        ends = error.pos >= len(error.doc.rstrip()) or error.msg.startswith(_CUT)
        message = "it ends before it is complete" if ends else error.msg
        line = error.lineno + self._first_line - 1
        fault = Fault(message=message, file=self._file, line=line, column=error.colno)
        return InputError(f"{self._file}: not JSON", faults=(fault,), hint=self._hint)


def _integer(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise _UnfitError(f"a number of {len(text):,} digits")
    return int(text)


def _float(text: str) -> float:
    if len(text) > MAX_DIGITS:
        raise _UnfitError(f"a number of {len(text):,} digits")
    found = float(text)
    if math.isinf(found):
        raise _UnfitError(f"{text[:LONGEST_SHOWN]} is larger than any number that a computer counts with")
    return found


def _constant(text: str) -> NoReturn:
    raise _UnfitError(f"{text} is no JSON")


def _twice(pairs: list[tuple[str, object]]) -> str:
    seen: set[str] = set()
    return next(key for key, _ in pairs if key in seen or seen.add(key))[:LONGEST_SHOWN]


def _line_of(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def _line_of_number(text: str) -> int:
    """Line of the first number that is none; 0 where the fault is not a number's."""
    found = _UNFIT_NUMBER.search(text)
    return _line_of(text, found.start()) if found else 0


_CONTAINERS: Final = (dict, list)  # a tuple: a union takes four times as long, for each value of a preview


def _too_deep(found: object) -> bool:
    level = [found]
    for _ in range(MAX_JSON_DEPTH + 1):
        level = _inside(level)
        if not level:
            return False
    return True


def _half(found: object) -> bool:
    """Whether a text or a key in a value holds half a character."""
    waiting = [found]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str) and _HALF.search(each):
            return True
        if isinstance(each, dict):
            waiting += [part for pair in cast("dict[str, object]", each).items() for part in pair]
        elif isinstance(each, list):
            waiting += cast("list[object]", each)
    return False


def _inside(level: list[object]) -> list[object]:
    """Lists and objects that lie directly in those of a level."""
    containers = (
        cast("dict[str, object]", each).values() if isinstance(each, dict) else cast("list[object]", each)
        for each in level
        if isinstance(each, _CONTAINERS)
    )
    return [part for parts in containers for part in parts if isinstance(part, _CONTAINERS)]
