"""A document: blocks of sentences, which one template shows as HTML and one as Markdown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from planning.documents.figures import Footnote, Origin, Sentence, compose, say

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from planning.documents.figures import Figure, Part

NO_NUMBERS: Final = 99


@dataclass(frozen=True, slots=True)
class Heading:
    """A chapter (2) or a section (3).

    Args:
        anchor: name of the place in the page; unique. Headings with one begin a section of the page.
        breaks: whether it starts on a new page in print.
    """

    level: int
    title: Sentence
    anchor: str = ""
    breaks: bool = False


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A sentence; `term` stands in bold before it."""

    sentence: Sentence
    term: Sentence | None = None

    @classmethod
    def of(cls, template: str, *values: Part | Sentence) -> Paragraph:
        return cls(compose(template, *values))


@dataclass(frozen=True, slots=True)
class Notice:
    sentence: Sentence

    @classmethod
    def of(cls, template: str, *values: Part | Sentence) -> Notice:
        return cls(compose(template, *values))


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list; with `boxes` each item is to be ticked, with `facts` its words before a colon are its name."""

    items: tuple[Sentence, ...]
    boxes: bool = False
    facts: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of sentences.

    Args:
        numbers_from: first right-aligned column; beyond the last for none.
        numbers_until: first column after them.
        style: classes of the page's style sheet.
        wide: minimum width in rem, below which the table scrolls.
        folded: words under which a reader may close it; "" for a table that is always open.
        opened: whether a folded one is open at first.
        notes_at_head: whether a footnote that a whole column has stands once, at its head.
    """

    head: tuple[Sentence, ...]
    rows: tuple[tuple[Sentence, ...], ...]
    caption: Sentence | None = None
    numbers_from: int = NO_NUMBERS
    numbers_until: int = NO_NUMBERS
    style: str = ""
    wide: int | None = None
    folded: str = ""
    opened: bool = True
    notes_at_head: bool = True

    @classmethod
    def of(
        cls,
        head: Sequence[str],
        rows: Sequence[tuple[Sentence, ...]],
        *,
        numbers_from: int = NO_NUMBERS,
        caption: Sentence | None = None,
    ) -> Table:
        """A table whose head is plain words."""
        return cls(head=tuple(map(say, head)), rows=tuple(rows), numbers_from=numbers_from, caption=caption)

    @property
    def width(self) -> int:
        return len(self.head) or max(map(len, self.rows), default=0)

    def holds_numbers(self, column: int) -> bool:
        return self.numbers_from <= column < self.numbers_until


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A chart that the renderer of the document draws.

    Args:
        name: key of its SVG text for HTML; Markdown shows `alt` only.
        alt: its caption; None where a chart says in words of its own what it shows.
        figures: every figure that is drawn.
    """

    name: str
    alt: Sentence | None = None
    figures: tuple[Figure, ...] = ()


@dataclass(frozen=True, slots=True)
class Blank:
    """A line to be filled in by hand: an open term or a signature."""

    label: Sentence

    @classmethod
    def of(cls, template: str, *values: Part | Sentence) -> Blank:
        return cls(compose(template, *values))


@dataclass(frozen=True, slots=True)
class Code:
    """Machine-readable text: in the line of its label, or fenced where it has none."""

    text: str
    label: Sentence | None = None


Block = Heading | Paragraph | Notice | Bullets | Table | Picture | Blank | Code


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """Blocks in the order in which they are read.

    Args:
        lead: what is read before anything else, in a frame; a document that has one lists its chapters below it.
        title: empty where the Markdown is part of another text.
        family: "quote" or "relocation", whose pages and Markdown have a form of their own.
        page_title: of the browser's tab, where it is not the title.
    """

    title: Sentence
    subtitle: Sentence = say()  # noqa: RUF009 - frozen
    blocks: tuple[Block, ...]
    lead: tuple[Sentence, ...] = ()
    family: str = ""
    page_title: str = ""

    def sentences(self) -> Iterator[Sentence]:
        yield from (self.title, self.subtitle, *self.lead)
        for block in self.blocks:
            yield from _sentences(block)

    def figures(self) -> Iterator[Figure]:
        for sentence in self.sentences():
            yield from sentence.figures
        for block in self.blocks:
            if isinstance(block, Picture):
                yield from block.figures


def _sentences(block: Block) -> Iterator[Sentence]:
    match block:
        case Heading(title=sentence) | Notice(sentence) | Blank(sentence):
            yield sentence
        case Paragraph(sentence, term):
            yield from (sentence,) if term is None else (term, sentence)
        case Bullets(items=items):
            yield from items
        case Picture(alt=sentence) | Code(label=sentence):
            if sentence is not None:
                yield sentence
        case Table():
            yield from (*block.head, *(cell for row in block.rows for cell in row))
            if block.caption is not None:
                yield block.caption


def footnotes(document: Document) -> Mapping[str | Footnote, int]:
    found: dict[str | Footnote, int] = {}
    for figure in document.figures():
        for note in notes_of(figure):
            found.setdefault(note, len(found) + 1)
    return found


def notes_of(figure: Figure) -> Iterator[str | Footnote]:
    """Footnotes of one figure; none for one of the lock or the checklist, which its origin explains."""
    if figure.origin is Origin.CALCULATED:
        yield f"calculated: {figure.at}"
        for each in figure.inputs:
            yield from notes_of(each)
    elif figure.source:
        yield figure.source


def find_shared_notes(table: Table) -> tuple[frozenset[str | Footnote], ...]:
    """Footnotes that all figures of a column share, by column: they stand once, at its head."""
    columns = ([row[at] for row in table.rows if at < len(row)] for at in range(table.width))
    return tuple(_share_notes(cells) if table.notes_at_head else frozenset() for cells in columns)


def _share_notes(cells: list[Sentence]) -> frozenset[str | Footnote]:
    found = [frozenset(notes_of(figure)) for cell in cells for figure in cell.figures]
    return found[0].intersection(*found[1:]) if len(found) > 1 else frozenset()
