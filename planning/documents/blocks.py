"""A document: blocks of sentences, which terminal, Markdown and HTML each show in their way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from planning.documents.figures import Origin

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from planning.documents.figures import Figure, Sentence


@dataclass(frozen=True, slots=True)
class Heading:
    """A chapter (2) or a section (3)."""

    level: int
    title: Sentence


@dataclass(frozen=True, slots=True)
class Paragraph:
    sentence: Sentence


@dataclass(frozen=True, slots=True)
class Notice:
    sentence: Sentence


@dataclass(frozen=True, slots=True)
class Bullets:
    items: tuple[Sentence, ...]
    boxes: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of sentences.

    Args:
        numbers_from: first column whose figures stand right; beyond the last for none.
    """

    head: tuple[Sentence, ...]
    rows: tuple[tuple[Sentence, ...], ...]
    caption: Sentence | None = None
    numbers_from: int = 99


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A chart that whoever shows the document draws.

    Args:
        name: under which it is handed over: SVG text for HTML, nothing for Markdown, which shows `alt` only.
        figures: every figure that is drawn.
    """

    name: str
    alt: Sentence
    figures: tuple[Figure, ...] = ()


@dataclass(frozen=True, slots=True)
class Blank:
    """A line to be filled in by hand: what was not settled, and a signature's place."""

    label: Sentence


Block = Heading | Paragraph | Notice | Bullets | Table | Picture | Blank


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    title: Sentence
    subtitle: Sentence
    blocks: tuple[Block, ...]

    def sentences(self) -> Iterator[Sentence]:
        yield from (self.title, self.subtitle)
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
        case Heading(title=sentence) | Paragraph(sentence) | Notice(sentence) | Blank(sentence):
            yield sentence
        case Bullets(items=items):
            yield from items
        case Picture(alt=alt):
            yield alt
        case Table():
            yield from (*block.head, *(cell for row in block.rows for cell in row))
            if block.caption is not None:
                yield block.caption


def footnotes(document: Document) -> Mapping[str, int]:
    found: dict[str, int] = {}
    for figure in document.figures():
        for note in notes_of(figure):
            found.setdefault(note, len(found) + 1)
    return found


def notes_of(figure: Figure) -> Iterator[str]:
    """What the footnotes of one figure say; none for what the lock or the checklist says itself."""
    if figure.origin is Origin.RECKONED:
        yield f"reckoned: {figure.at}"
        for each in figure.inputs:
            yield from notes_of(each)
    elif figure.source:
        yield figure.source


def of_columns(table: Table) -> tuple[frozenset[str], ...]:
    """Footnotes that every figure of a column has, which stand at its head instead of beside each."""
    return tuple(_find_shared_notes([row[at] for row in table.rows if at < len(row)]) for at in range(len(table.head)))


def _find_shared_notes(cells: list[Sentence]) -> frozenset[str]:
    found = [frozenset(notes_of(figure)) for cell in cells for figure in cell.figures]
    return found[0].intersection(*found[1:]) if len(found) > 1 else frozenset()


def numbers(figure: Figure, notes: Mapping[str, int], *, told: frozenset[str] = frozenset()) -> list[int]:
    """Numbers of a figure's footnotes, without those that its column tells of."""
    return sorted({notes[text] for text in notes_of(figure) if text not in told})
