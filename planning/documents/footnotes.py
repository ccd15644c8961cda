"""Footnotes: each source once, numbered in the order in which the text comes to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planning.documents.figures import Origin

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from planning.documents.blocks import Document, Table
    from planning.documents.figures import Figure, Sentence


def footnotes(document: Document) -> Mapping[str, int]:
    """What each footnote says, and its number, from 1."""
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
    return tuple(_shared([row[at] for row in table.rows if at < len(row)]) for at in range(len(table.head)))


def _shared(cells: list[Sentence]) -> frozenset[str]:
    found = [frozenset(notes_of(figure)) for cell in cells for figure in cell.figures]
    return found[0].intersection(*found[1:]) if len(found) > 1 else frozenset()


def numbers(figure: Figure, notes: Mapping[str, int], *, told: frozenset[str] = frozenset()) -> list[int]:
    """Numbers of a figure's footnotes, without those that its column tells of."""
    return sorted({notes[text] for text in notes_of(figure) if text not in told})
