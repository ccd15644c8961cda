"""Text laid out for the width of a terminal: wrapped between words, figures in columns."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

GAP: Final = "  "
CUT: Final = " ..."


@dataclass(frozen=True, slots=True)
class ScreenLine:
    """One line of a screen; `style` is that of its tail, of the whole line where it has none.

    Args:
        style: "bold", "dim", "good", "warn" or "alert".
    """

    text: str
    tail: str = ""
    style: str = ""


def wrap(text: str, *, width: int, first: str = "", rest: str = "", most: int = 0, style: str = "") -> list[ScreenLine]:
    """A paragraph; a word longer than the line is folded at its dashes, and stands on a line of its own without any.

    Args:
        first: what its first line begins with.
        rest: what its other lines begin with.
        most: lines after which it is cut; 0 for all of it.
    """
    lines = textwrap.wrap(
        text,
        width,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=any(len(word) > width - len(rest) for word in text.split()),
        max_lines=most or None,
        placeholder=CUT,
    )
    return [ScreenLine(each, style=style) for each in lines]


def wrap_name(name: str, *, width: int, first: str = "", rest: str = "") -> list[ScreenLine]:
    """A name such as an option's, which is folded at its dashes alone, and only where it is longer than the line."""
    lines = textwrap.wrap(
        name,
        width,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=len(first) + len(name) > width,
    )
    return [ScreenLine(each, style="bold") for each in lines]


def lay_out_terms(rows: Sequence[tuple[str, Sequence[str]]], *, width: int, indent: str = "") -> Iterator[ScreenLine]:
    said = [each for each in rows if each[1]]
    wide = max((len(label) for label, _ in said), default=0)
    rest = indent + " " * wide + GAP
    for label, sentences in said:
        for at, sentence in enumerate(sentences):
            first = rest if at else f"{indent}{label.ljust(wide)}{GAP}"
            yield from wrap(sentence, width=width, first=first, rest=rest)


def align_columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells, each column as wide as its widest cell, figures right and the last column left."""
    wide = [max(map(len, each)) for each in zip(*rows, strict=True)]
    return [
        GAP.join(
            cell.ljust(size) if at == len(wide) - 1 else cell.rjust(size)
            for at, (cell, size) in enumerate(zip(row, wide, strict=True))
        ).rstrip()
        for row in rows
    ]
