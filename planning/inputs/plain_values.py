"""Nodes of a YAML text as plain values; what was refused is a marker, so that nothing more is said about it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from planning.inputs.faults import spell
from planning.inputs.yaml_nodes import Fields, Items, Node, RejectedValue, YamlFault

if TYPE_CHECKING:
    from collections.abc import Collection


LONGEST_NUMBER: Final = 30  # digits; no quantity of a cluster needs more
_EMPTY: Final = frozenset({"", "~", "null", "Null", "NULL"})
_TRUTHS: Final = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INTEGER: Final = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_DATE: Final = re.compile(r"\d{4}-\d\d?-\d\d?(?:[Tt ].*)?")
_TEXT_HINT: Final = "put it in quotes if it is meant as text"
# Words that YAML readers disagree about: pattern, what is wrong, what to write instead.
_AMBIGUOUS: Final = (
    (
        re.compile(r"yes|Yes|YES|on|On|ON"),
        "is text to some YAML readers and true to others",
        "write true, or put it in quotes if it is meant as text",
    ),
    (
        re.compile(r"no|No|NO|off|Off|OFF"),
        "is text to some YAML readers and false to others",
        "write false, or put it in quotes if it is meant as text",
    ),
    (
        _DATE,
        "is a date, and this field is none",
        'a deadline is a length of time, as in "30d"',
    ),
    (re.compile(r"[-+]?0[0-7_]+|[-+]?0o[0-7_]+"), "is an octal number to some YAML readers", _TEXT_HINT),
    (re.compile(r"[-+]?0[xb][0-9A-Fa-f_]+"), "is not a decimal number", _TEXT_HINT),
    (re.compile(r"[-+]?\d[\d_]*(?::[0-5]?\d)+(?:\.\d*)?"), "is a number in base 60 to some YAML readers", _TEXT_HINT),
    (re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"), "is not a number to count with", "write a plain number"),
    (re.compile(r"[-+]?\d[\d._]*[eE][-+]?\d+"), "is written with an exponent", "write the number out"),
    (re.compile(rf"[-+]?[\d._]{{{LONGEST_NUMBER + 1},}}"), f"has more than {LONGEST_NUMBER} digits", _TEXT_HINT),
)


def objection(text: str) -> tuple[str, str] | None:
    """What is wrong with the unquoted `text`, and a hint; None when all readers agree about it."""
    for pattern, message, hint in _AMBIGUOUS:
        if pattern.fullmatch(text):
            return f'"{_short(text)}" {message}', hint
    return None


def is_date_like(text: str) -> bool:
    """Whether YAML readers may take the unquoted `text` for a date."""
    return _DATE.fullmatch(text) is not None


def value(text: str) -> str | int | bool | None:
    """Nothing, a truth or a whole number; else the text as written."""
    if text in _EMPTY:
        return None
    if text in _TRUTHS:
        return _TRUTHS[text]
    # The rest stays text: no number passes through a binary float.
    return int(text) if _INTEGER.fullmatch(text) else text


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_NUMBER else f"{text[:LONGEST_NUMBER]}..."


REFUSED: Final = object()
_ISO_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}")


def plain(
    node: Node,
    *,
    notes: list[YamlFault],
    path: tuple[str | int, ...] = (),
    dates: bool = False,
    days: Collection[tuple[str | int, ...]] = (),
) -> object:
    """The value of a node; what may not be written so is added to `notes`.

    Args:
        dates: whether the text has dates, which stay text ("2026-12-31").
        days: paths of the fields that are a date: what stands there stays text, and whoever reads it judges.
    """
    if isinstance(node, Fields):
        entries = node.entries.items()
        return {
            key: plain(value, notes=notes, path=(*path, key), dates=dates, days=days) for key, (_, value) in entries
        }
    if isinstance(node, Items):
        return [
            plain(item, notes=notes, path=(*path, index), dates=dates, days=days)
            for index, item in enumerate(node.nodes)
        ]
    if isinstance(node, RejectedValue):
        return REFUSED
    if not node.plain or (dates and _ISO_DATE.fullmatch(node.text)) or (path in days and is_date_like(node.text)):
        return node.text
    if (ambiguity := objection(node.text)) is not None:
        notes.append(YamlFault(ambiguity[0], node.place, ambiguity[1], spell(path)))
        return REFUSED
    return value(node.text)
