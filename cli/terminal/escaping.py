"""Text from outside made harmless for Markdown and HTML: it is shown as it reads, and it does nothing."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

LONGEST: Final = 300  # of a sentence; a name has its own bound
LONGEST_NAME: Final = 100
MOST_MARKS: Final = 2  # combining marks on one letter
REMEMBERED: Final = 20_000  # texts; a comment that is too long is written several times
CUT: Final = "…"
NOT_SHOWN: Final = "\N{REPLACEMENT CHARACTER}"
# Letters, marks and symbols that take no ink (Unicode 15, Default_Ignorable_Code_Point) and the empty Braille pattern.
_INKLESS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_UNSEEN: Final = "Cf"
_GAPS: Final = frozenset({"Cc", "Zl", "Zp", "Zs"})
_UNASSIGNED: Final = frozenset({"Cs", "Co", "Cn"})
_PLAIN_PUNCTUATION: Final = frozenset(" ,.;()%/-")
# GitHub looks for names, numbers and addresses in the text of the finished page, where an entity is a character again;
# a zero-width space behind the sign ends that, as other bots do it.
_BREAK: Final = "&#8203;"
_WEB: Final = re.compile(r"(?i)w(?=ww\.)")
_STARTS_SOMETHING: Final = re.compile(r"@|#|:(?=\S)|(?i:\bwww(?=\.))|(?i:\bGH(?=-))")


@lru_cache(maxsize=REMEMBERED)
def plain(outside: str, *, most: int = LONGEST) -> str:
    """One line without invisible or direction-changing characters; cut at `most` characters."""
    # Cut before anything looks at it: a page of megabytes must not cost more than its first words.
    line = outside[: most * 8]
    if not (line.isascii() and line.isprintable()):
        line = _without_towers("".join(_visible_sign(sign) for sign in line))
    line = " ".join(line.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + CUT


@lru_cache(maxsize=REMEMBERED)
def prose(outside: str, *, most: int = LONGEST) -> str:
    """A sentence from outside: no mark-up, no mention, no reference, no link."""
    line = plain(outside, most=most)
    return "".join(_escape_piece(piece) for piece in _pieces(line))


@lru_cache(maxsize=REMEMBERED)
def name(outside: str, *, most: int = LONGEST_NAME) -> str:
    """A name from outside in code type, where nothing is looked for; "(no name)" where nothing of it can be seen."""
    line = plain(outside, most=most)
    harmless = _WEB.sub("&#119;", _entities(line)).replace("&#64;", f"&#64;{_BREAK}")
    return f"<code>{harmless}</code>" if line else "(no name)"


def title(outside: str, *, most: int = LONGEST_NAME) -> str:
    line = plain(outside, most=most)
    return prose(line[:1].upper() + line[1:], most=most)


def _visible_sign(sign: str) -> str:
    if sign.isascii() and sign.isprintable():
        return sign
    category = unicodedata.category(sign)
    if category in _GAPS:
        return " "
    if category == _UNSEEN or sign in _INKLESS or "\ufe00" <= sign <= "\ufe0f":
        return ""
    return NOT_SHOWN if category in _UNASSIGNED else sign


def _without_towers(line: str) -> str:
    """No letter under more combining marks than two, which would run over the lines above."""
    if line.isascii():
        return line
    kept: list[str] = []
    height = 0
    for sign in line:
        # More combining marks than a script needs run over the lines above.
        height = height + 1 if unicodedata.category(sign) in {"Mn", "Me"} else 0
        if height <= MOST_MARKS:
            kept.append(sign)
    return "".join(kept)


def _pieces(line: str) -> list[str]:
    """The line cut behind everything that may start a mention, a reference or a link."""
    ends = [found.end() for found in _STARTS_SOMETHING.finditer(line)]
    return [line[start:end] for start, end in zip([0, *ends], [*ends, len(line)], strict=True)]


def _escape_piece(piece: str) -> str:
    broken = _STARTS_SOMETHING.search(piece[-1:]) or piece.lower().endswith(("www", "gh"))
    return _entities(piece) + (_BREAK if broken or piece.endswith(":") else "")


def _entities(line: str) -> str:
    """Every sign that may mean something to Markdown or HTML as an entity, which means only itself."""
    first, rest = line[:1], line[1:]
    return (first if first.isalpha() else _entity(first)) + rest.translate(_ENTITIES)


def _entity(sign: str) -> str:
    return f"&#{ord(sign)};" if sign and sign != " " else sign


_ENTITIES: Final = {
    code: _entity(chr(code)) for code in range(128) if not chr(code).isalnum() and chr(code) not in _PLAIN_PUNCTUATION
}
