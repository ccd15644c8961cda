"""A document: blocks of sentences, which terminal, Markdown and HTML each show in their way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.documents.figures import Figure, Sentence


@dataclass(frozen=True, slots=True)
class Heading:
    """A chapter (2) or a section (3)."""

    level: int
    title: Sentence


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Sentences that belong together."""

    sentence: Sentence


@dataclass(frozen=True, slots=True)
class Notice:
    """What nobody may overlook."""

    sentence: Sentence


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list; `boxes` where each is to be ticked."""

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
    """The whole."""

    title: Sentence
    subtitle: Sentence
    blocks: tuple[Block, ...]

    def sentences(self) -> Iterator[Sentence]:
        """Every sentence, in the order in which they are read."""
        yield from (self.title, self.subtitle)
        for block in self.blocks:
            yield from _sentences(block)

    def figures(self) -> Iterator[Figure]:
        """Every figure, those of pictures too."""
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
