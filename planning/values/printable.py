"""Words of a user on their way to a terminal or a document: shown as they read, without steering anything.

ESC and its kin move the cursor, change colours or make links (ECMA-48); characters of direction turn a line round, so
that it reads otherwise than it is (Unicode Technical Report 36, 3.7); those without a width hide in names.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

NOT_SHOWN: Final = "\N{REPLACEMENT CHARACTER}"
# Control, format (direction and zero width), surrogate, private, unassigned, line and paragraph separator.
_STEERING: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_OUTSIDE_ASCII: Final = re.compile(r"[^\x00-\x7e]")


class _Characters(dict[int, int | str]):
    """What stands for each character, by its code, looked up once."""

    def __missing__(self, code: int) -> int | str:
        self[code] = shown = NOT_SHOWN if is_steering(chr(code)) else code
        return shown


def is_steering(character: str) -> bool:
    """Whether a character does something instead of being seen."""
    return unicodedata.category(character) in _STEERING


_CHARACTERS: Final = _Characters({ord("\n"): "\n", ord("\t"): " "})


def printable(text: str) -> str:
    """The text without anything that would move a terminal's cursor, change its colours or turn a line round."""
    return text if text.isascii() and text.isprintable() else text.translate(_CHARACTERS)


def printable_line(text: str) -> str:
    """As `printable`, in one line: for names of files."""
    return printable(text).replace("\n", NOT_SHOWN)


def printable_json(text: str) -> str:
    """The same JSON, with escapes for what `printable` would replace; it stands in strings only."""
    return text if text.isascii() else _OUTSIDE_ASCII.sub(_escape_match, text)


def _escape_match(found: re.Match[str]) -> str:
    if not is_steering(found[0]):
        return found[0]
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
