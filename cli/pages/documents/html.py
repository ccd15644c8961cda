"""A document on one page that needs nothing but itself: light and dark, for the screen, the phone and the printer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cli.pages.documents.markup import Markup, element, escape_text, join_parts, make_scrollable, note_marks, whole_page
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
from planning.documents.figures import Figure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from planning.documents.blocks import Block, Document
    from planning.documents.figures import Part, Sentence

NONE: Final = frozenset[str]()
MORE_STYLE: Final = """
sup a { color: var(--faint); text-decoration: none; font-size: .72em; } .notice { border-left: 4px solid var(--warn);
  background: var(--tint); padding: .6rem .9rem; margin: 1rem 0; font-weight: 600; }
.blank { display: flex; gap: .8rem; margin: .8rem 0; } .blank i { flex: 1; border-bottom: 1px solid var(--ink); }
ul.boxes { list-style: none; padding-left: 0; } ul.boxes li::before { content: "\\2610"; margin-right: .6em; }
ol.notes { font-size: .82rem; color: var(--faint); overflow-wrap: anywhere; } figure { margin: 1rem 0; }
figcaption { color: var(--faint); font-size: .86rem; }
@media (max-width: 40rem) { .wide > table { min-width: 30rem; } body { margin: 1rem auto; } }
@media print { :root { --ink: #000; --paper: #fff; --tint: #f2f2f2; --rule: #bbb; --faint: #444; }
  h2, h3 { break-after: avoid; } tr, figure, .notice { break-inside: avoid; } .wide { overflow: visible; }
  .wide > table, .wide > svg { min-width: 0; } }
"""


def document_page(document: Document, *, pictures: Mapping[str, Markup] | None = None, style: str = "") -> str:
    """The whole page.

    Args:
        pictures: SVG of each Picture, by its name; one without is shown by its words.
        style: rules beyond those of every page.
    """
    return whole_page(document.title.text, join_parts(_body(document, pictures or {})), style=MORE_STYLE + style)


def _body(document: Document, pictures: Mapping[str, Markup]) -> Iterator[Markup]:
    notes = footnotes(document)
    yield element("h1", render_sentence(document.title, notes))
    yield element("p", render_sentence(document.subtitle, notes), class_="faint")
    for block in document.blocks:
        yield _block(block, notes, pictures)
    if notes:
        yield element("h2", escape_text("Where the figures are from"))
        yield element(
            "ol",
            *(element("li", escape_text(text), id=f"note-{number}") for text, number in notes.items()),
            class_="notes",
        )


def _block(block: Block, notes: Mapping[str, int], pictures: Mapping[str, Markup]) -> Markup:
    match block:
        case Heading(level, title):
            shown = element(f"h{level}", render_sentence(title, notes))
        case Paragraph(sentence):
            shown = element("p", render_sentence(sentence, notes))
        case Notice(sentence):
            shown = element("p", render_sentence(sentence, notes), class_="notice")
        case Blank(label):
            shown = element("p", element("span", render_sentence(label, notes)), element("i"), class_="blank")
        case Bullets(items, boxes):
            kind = "boxes" if boxes else "plain"
            shown = element("ul", *(element("li", render_sentence(item, notes)) for item in items), class_=kind)
        case Picture(name=name, alt=alt):
            drawn = (make_scrollable(pictures[name]),) if name in pictures else ()
            shown = element("figure", *drawn, element("figcaption", render_sentence(alt, notes)))
        case Table():
            shown = make_scrollable(_table(block, notes))
    return shown


def _table(table: Table, notes: Mapping[str, int]) -> Markup:
    caption = (
        (element("caption", render_sentence(table.caption, notes), class_="faint"),)
        if table.caption is not None
        else ()
    )
    told = of_columns(table)
    marks = (note_marks(sorted(notes[text] for text in each)) for each in told)
    heads = (Markup(render_sentence(cell, notes) + mark) for cell, mark in zip(table.head, marks, strict=True))
    head = element("thead", _row("th", tuple(heads), table))
    rows = (
        _row(
            "td", tuple(render_sentence(cell, notes, told=known) for cell, known in zip(row, told, strict=False)), table
        )
        for row in table.rows
    )
    return element("table", *caption, head, element("tbody", join_parts(rows)))


def _row(kind: str, cells: tuple[Markup, ...], table: Table) -> Markup:
    return element(
        "tr",
        *(
            element(kind, cell, class_="number") if at >= table.numbers_from else element(kind, cell)
            for at, cell in enumerate(cells)
        ),
    )


def render_sentence(sentence: Sentence, notes: Mapping[str, int], *, told: frozenset[str] = NONE) -> Markup:
    """A sentence, each figure with the numbers of its footnotes.

    Args:
        told: footnotes that stand somewhere else already: at the head of the column.
    """
    return Markup("".join(_part(part, notes, told) for part in sentence.parts))


def _part(part: Part, notes: Mapping[str, int], told: frozenset[str]) -> Markup:
    if not isinstance(part, Figure):
        return escape_text(part)
    return Markup(escape_text(part.text) + note_marks(numbers(part, notes, told=told)))
