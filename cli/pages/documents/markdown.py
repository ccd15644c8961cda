"""A document as Markdown: figures with numbered footnotes, tables, boxes to tick."""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from planning.documents.blocks import (
    Blank,
    Bullets,
    Heading,
    Notice,
    Paragraph,
    Picture,
    Table,
    footnotes,
    numbers,
    of_columns,
)
from planning.documents.figures import Figure, Sentence
from planning.values.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from planning.documents.blocks import Block, Document
    from planning.documents.figures import Part


SPECIAL: Final = re.compile(r"([\\`*_\[\]<>|~])")
LINE: Final = "_" * 40
NONE: Final = frozenset[str]()
Told = tuple[frozenset[str], ...]


def markdown(document: Document) -> str:
    notes = footnotes(document)
    parts = [f"# {_render_sentence(document.title, notes)}", "", _render_sentence(document.subtitle, notes), ""]
    for block in document.blocks:
        parts += [*_block(block, notes), ""]
    if notes:
        parts += ["## Where the figures are from", "", *(f"{number}. {_plain(text)}" for text, number in notes.items())]
    return printable("\n".join(parts)).rstrip() + "\n"


def _block(block: Block, notes: Mapping[str, int]) -> Iterator[str]:
    match block:
        case Heading(level, title):
            yield f"{'#' * level} {_render_sentence(title, notes)}"
        case Paragraph(sentence):
            yield _render_sentence(sentence, notes)
        case Notice(sentence):
            yield f"> **{_render_sentence(sentence, notes)}**"
        case Blank(label):
            yield f"{_render_sentence(label, notes)}: {LINE}"
        case Bullets(items, boxes):
            yield from (f"- {'[ ] ' if boxes else ''}{_render_sentence(item, notes)}" for item in items)
        case Picture(alt=alt):
            yield f"*{_render_sentence(alt, notes)}*"
        case Table():
            yield from _table(block, notes)


def _table(table: Table, notes: Mapping[str, int]) -> Iterator[str]:
    if table.caption is not None:
        yield f"*{_render_sentence(table.caption, notes)}*"
        yield ""
    told = of_columns(table)
    yield _row(table.head, notes, marks=told)
    yield "|" + "|".join(" ---: " if at >= table.numbers_from else " --- " for at in range(len(table.head))) + "|"
    for row in table.rows:
        yield _row(row, notes, told=told)


def _row(cells: tuple[Sentence, ...], notes: Mapping[str, int], *, told: Told = (), marks: Told = ()) -> str:
    """A row; `told` are footnotes that stand at the heads already, `marks` those that stand here."""
    shown = (
        _render_sentence(cell, notes, told=known) + _marks(sorted(notes[text] for text in mark))
        for cell, known, mark in zip_longest(cells, told, marks, fillvalue=NONE)
        if isinstance(cell, Sentence)
    )
    return "| " + " | ".join(shown) + " |"


def _render_sentence(sentence: Sentence, notes: Mapping[str, int], *, told: frozenset[str] = NONE) -> str:
    return "".join(_part(part, notes, told) for part in sentence.parts)


def _part(part: Part, notes: Mapping[str, int], told: frozenset[str]) -> str:
    return _plain(part.text) + _marks(numbers(part, notes, told=told)) if isinstance(part, Figure) else _plain(part)


def _marks(found: list[int]) -> str:
    return f"<sup>[{', '.join(map(str, found))}]</sup>" if found else ""


def _plain(text: str) -> str:
    return SPECIAL.sub(r"\\\1", " ".join(text.split()) if "\n" in text else text)


_ALIGNED = {"l": ":--", "r": "--:"}


def table(headings: Sequence[str], aligned: str, rows: Iterable[Sequence[str]], *, budget: int) -> str:
    """A table; rows that have no room are counted below it."""
    head = [_render_row(headings), _render_row([_ALIGNED[each] for each in aligned])]
    lines, more = fit_lines((_render_row(row) for row in rows), budget=budget)
    return "\n".join((*head, *lines)) + "\n\n" + (f"{_more(more, 'row')}\n\n" if more else "")


def render_list(heading: str, items: Sequence[str], *, budget: int) -> str:
    if not items:
        return ""
    lines, more = fit_lines((f"- {each}" for each in items), budget=budget)
    if more:
        lines.append(f"- {_more(more, 'entry')}")
    return "\n".join((f"**{heading}**", "", *lines)) + "\n\n"


def box(kind: str, lines: Iterable[str], *, budget: int) -> str:
    """An alert as GitHub and GitLab draw it; elsewhere a quotation."""
    shown, more = fit_lines((f"> - {each}" for each in lines), budget=budget)
    if len(shown) == 1 and not more:
        shown = [shown[0].replace("> - ", "> ", 1)]
    if more:
        shown.append(f"> - {_more(more, 'entry')}")
    return "\n".join((f"> [!{kind}]", *shown)) + "\n\n"


def fit_lines(lines: Iterable[str], *, budget: int) -> tuple[list[str], int]:
    """The lines that have room, in order, and how many have none; a long one hides none of those behind it."""
    kept: list[str] = []
    more = 0
    for line in lines:
        if len(line) + 1 > budget:
            more += 1
            continue
        budget -= len(line) + 1
        kept.append(line)
    return kept, more


def _render_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _more(count: int, what: str) -> str:
    plural = {"row": "rows", "entry": "entries"}[what]
    return f"_and {count} more {what if count == 1 else plural}, not shown here_"
