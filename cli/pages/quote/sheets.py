"""Parts of a quote document: chapters that a page lists, tables that fold and stack, footnotes of the price book."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cli.terminal.amounts import day
from planning.documents.blocks import NO_NUMBERS, Heading, Paragraph, Picture, Table
from planning.documents.figures import Footnote, cite

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from catalogs.model import Source
    from planning.documents.blocks import Block
    from planning.documents.figures import Sentence

CHECKLIST: Final = "checklist"


def chapter(
    title: str, anchor: str, *sentences: Sentence, level: int = 2, is_drawn: bool = False, breaks: bool = False
) -> Iterator[Block]:
    """The beginning of a chapter: its heading, what it says, and its charts where it has any."""
    yield Heading(level, cite(title), anchor, breaks)
    yield from map(Paragraph, sentences)
    if is_drawn:
        yield Picture(name=anchor)


def sheet(
    head: Sequence[str],
    rows: Sequence[tuple[Sentence, ...]],
    *,
    anchor: str = "",
    wide: int = 0,
    numbers_from: int = NO_NUMBERS,
    caption: str = "",
    folded: str = "",
) -> Table:
    """A table, whose rows a phone stacks where it has a head."""
    return Table(
        head=texts(*head),
        rows=tuple(rows),
        caption=cite(caption) if caption else None,
        numbers_from=numbers_from,
        style=f"sheet {anchor} stacked" if head else "sheet plain",
        wide=wide,
        folded=folded,
        notes_at_head=False,
    )


def texts(*each: str, tone: str = "") -> tuple[Sentence, ...]:
    return tuple(cite(text, tone=tone) for text in each)


def find_note(sources: Mapping[str, Source], source: str) -> Footnote | str:
    """The footnote of a source: an id of the catalog, or its words; none for ""."""
    known = sources.get(source)
    if known is not None:
        return Footnote(known.text, known.url, day(known.as_of))
    return Footnote("the checklist" if source == CHECKLIST else source) if source else ""
