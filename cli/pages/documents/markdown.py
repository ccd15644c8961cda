"""A document as Markdown: figures with numbered footnotes, tables, boxes to tick."""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from planning.documents.blocks import Blank, Bullets, Heading, Notice, Paragraph, Picture, Table
from planning.documents.figures import Figure, Sentence
from planning.documents.footnotes import footnotes, numbers, of_columns
from planning.values.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from planning.documents.blocks import Block, Document
    from planning.documents.figures import Part

SPECIAL: Final = re.compile(r"([\\`*_\[\]<>|~])")
LINE: Final = "_" * 40
NONE: Final = frozenset[str]()
Told = tuple[frozenset[str], ...]


def markdown(document: Document) -> str:
    """The whole document."""
    notes = footnotes(document)
    parts = [f"# {_said(document.title, notes)}", "", _said(document.subtitle, notes), ""]
    for block in document.blocks:
        parts += [*_block(block, notes), ""]
    if notes:
        parts += ["## Where the figures are from", "", *(f"{number}. {_plain(text)}" for text, number in notes.items())]
    return printable("\n".join(parts)).rstrip() + "\n"


def _block(block: Block, notes: Mapping[str, int]) -> Iterator[str]:
    match block:
        case Heading(level, title):
            yield f"{'#' * level} {_said(title, notes)}"
        case Paragraph(sentence):
            yield _said(sentence, notes)
        case Notice(sentence):
            yield f"> **{_said(sentence, notes)}**"
        case Blank(label):
            yield f"{_said(label, notes)}: {LINE}"
        case Bullets(items, boxes):
            yield from (f"- {'[ ] ' if boxes else ''}{_said(item, notes)}" for item in items)
        case Picture(alt=alt):
            yield f"*{_said(alt, notes)}*"
        case Table():
            yield from _table(block, notes)


def _table(table: Table, notes: Mapping[str, int]) -> Iterator[str]:
    if table.caption is not None:
        yield f"*{_said(table.caption, notes)}*"
        yield ""
    told = of_columns(table)
    yield _row(table.head, notes, marks=told)
    yield "|" + "|".join(" ---: " if at >= table.numbers_from else " --- " for at in range(len(table.head))) + "|"
    for row in table.rows:
        yield _row(row, notes, told=told)


def _row(cells: tuple[Sentence, ...], notes: Mapping[str, int], *, told: Told = (), marks: Told = ()) -> str:
    """A row; `told` are footnotes that stand at the heads already, `marks` those that stand here."""
    shown = (
        _said(cell, notes, told=known) + _marks(sorted(notes[text] for text in mark))
        for cell, known, mark in zip_longest(cells, told, marks, fillvalue=NONE)
        if isinstance(cell, Sentence)
    )
    return "| " + " | ".join(shown) + " |"


def _said(sentence: Sentence, notes: Mapping[str, int], *, told: frozenset[str] = NONE) -> str:
    return "".join(_part(part, notes, told) for part in sentence.parts)


def _part(part: Part, notes: Mapping[str, int], told: frozenset[str]) -> str:
    return _plain(part.text) + _marks(numbers(part, notes, told=told)) if isinstance(part, Figure) else _plain(part)


def _marks(found: list[int]) -> str:
    return f"<sup>[{', '.join(map(str, found))}]</sup>" if found else ""


def _plain(text: str) -> str:
    return SPECIAL.sub(r"\\\1", " ".join(text.split()) if "\n" in text else text)
