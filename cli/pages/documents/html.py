"""A document on one page that needs nothing but itself: light and dark, for the screen, the phone and the printer."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final, NewType

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
from planning.values.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from planning.documents.blocks import Block, Document
    from planning.documents.figures import Part, Sentence


Markup = NewType("Markup", str)
Attribute = str | int | float
_VOID: Final = frozenset({"line", "rect", "circle", "meta", "path"})


def element(name: str, /, *content: Markup, **attributes: Attribute) -> Markup:
    """An element; "_" in an attribute's name stands for "-", one at its end is dropped ("class_")."""
    given = "".join(f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"' for key, value in attributes.items())
    if name in _VOID:
        return Markup(f"<{name}{given}/>")
    return Markup(f"<{name}{given}>{''.join(content)}</{name}>")


def escape_text(text: str) -> Markup:
    return Markup(escape(printable(text)))


def join_parts(parts: Iterable[Markup]) -> Markup:
    return Markup("\n".join(parts))


def cells(kind: str, texts: Iterable[str], *, numbers_from: int) -> Markup:
    """A table row; from column `numbers_from` on, figures that stand right."""
    return element(
        "tr",
        *(
            element(kind, escape_text(text), class_="number")
            if index >= numbers_from
            else element(kind, escape_text(text))
            for index, text in enumerate(texts)
        ),
    )


def make_scrollable(content: Markup, **attributes: Attribute) -> Markup:
    """Content that scrolls sideways by itself where the screen is narrower."""
    return element("div", content, class_="wide", **attributes)


def note_marks(numbers: Sequence[int]) -> Markup:
    """The numbers of footnotes, as links to them; in brackets, for "10<sup>3</sup>" is a power."""
    if not numbers:
        return Markup("")
    links = (element("a", escape_text(str(each)), href=f"#note-{each}") for each in numbers)
    return element("sup", Markup(f"[{', '.join(links)}]"))


def _value(value: Attribute) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else escape(printable(str(value)))


STYLE: Final = """
:root { --ink: #1c1f24; --faint: #667080; --rule: #d7dce3; --paper: #ffffff; --tint: #f4f6f9; --alert: #b3261e;
  --warn: #8a5a00; --good: #1b6e3c; --shade: #00000033; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ee; --faint: #9aa4b2; --rule: #343b46; --paper: #14171c;
  --tint: #1d2229; --alert: #ff8a80; --warn: #ffc66b; --good: #7fd8a4; --shade: #ffffff40; } }
body { font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif; color: var(--ink); background: var(--paper);
  max-width: 1080px; margin: 2rem auto; padding: 0 1.25rem; }
h1 { font-size: 1.6rem; margin: 0 0 .2rem; } h2 { font-size: 1.2rem; margin: 2.4rem 0 .6rem; }
h3 { font-size: 1rem; margin: 1.6rem 0 .3rem; overflow-wrap: anywhere; }
p { margin: .3rem 0; } .faint, .where-line { color: var(--faint); }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; font-size: .86rem; }
th, td { text-align: left; vertical-align: top; padding: .32rem .6rem .32rem 0; border-bottom: 1px solid var(--rule); }
td:first-child { overflow-wrap: anywhere; min-width: 8rem; }
.wide { overflow-x: auto; background:
  linear-gradient(90deg, var(--paper) 40%, transparent) local left / 3rem 100% no-repeat,
  linear-gradient(270deg, var(--paper) 40%, transparent) local right / 3rem 100% no-repeat,
  linear-gradient(90deg, var(--shade), transparent) scroll left / 1rem 100% no-repeat,
  linear-gradient(270deg, var(--shade), transparent) scroll right / 1rem 100% no-repeat; }
.wide > svg { min-width: 38rem; } .wide > table { min-width: 38rem; }
.wide > .comparison { min-width: 62rem; } caption { text-align: left; }
th { color: var(--faint); font-weight: 600; } tr.sum td { font-weight: 600; background: var(--tint); }
td.number, th.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
svg { width: 100%; height: auto; display: block; } svg text { fill: var(--ink); font-size: 13px; }
.tick, svg .where, svg .tick { fill: var(--faint); } svg .tick { text-anchor: middle; font-size: 12px; }
svg .name { font-weight: 600; } svg .name .where { font-weight: 400; }
svg .amount, svg .unpriced, svg text.where, svg .name, svg .reach {
  paint-order: stroke; stroke: var(--paper); stroke-width: 4px; }
svg .amount { dominant-baseline: middle; } svg .unpriced { fill: var(--warn);
  font-size: 12px; } .grid { stroke: var(--rule); } .whisker { stroke: var(--ink); stroke-width: 1.6; }
.gap { stroke: var(--faint); stroke-width: 2; stroke-dasharray: 2 3; } .ceiling { stroke: var(--alert);
  stroke-width: 2; stroke-dasharray: 6 4; } svg .ceiling-name { fill: var(--alert); text-anchor: middle; }
.legend span { margin-right: 1.1rem; white-space: nowrap; } .legend i { display: inline-block;
  width: .8em; height: .8em; margin-right: .4em; border-radius: 2px; }
.within { color: var(--good); } .over { color: var(--alert); } .cannot-tell { color: var(--warn); }
.verdict { font-weight: 600; } dl { display: grid; grid-template-columns: 7rem 1fr; margin: .4rem 0; font-size: .9rem; }
dt { color: var(--faint); } dd { margin: 0; } details summary { cursor: pointer; color: var(--faint); }
@media print { body { max-width: none; margin: 0; } details { display: block; } }
"""


ALONE: Final = "default-src 'none'; style-src 'unsafe-inline'"  # the browser refuses whatever is not in the page


def whole_page(title: str, content: Markup, *, style: str = "") -> str:
    """The whole page as text.

    Args:
        content: of its body.
        style: rules beyond those of every page.
    """
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", http_equiv="Content-Security-Policy", content=ALONE),
        element("meta", name="referrer", content="no-referrer"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", escape_text(title)),
        element("style", Markup(STYLE + style)),
    )
    return f"<!doctype html>\n{element('html', head, element('body', content), lang='en')}\n"


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
