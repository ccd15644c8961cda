"""What a quote document is made of: chapters of sentences and tables, which Markdown and HTML each show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

from cli.terminal.amounts import day

if TYPE_CHECKING:
    from collections.abc import Mapping

    from catalogs.model import Source

CHECKLIST: Final = "checklist"
NO_NUMBERS: Final = 99


@dataclass(frozen=True, slots=True)
class SheetCell:
    """A text, the numbers of its footnotes, and how it is meant.

    Args:
        tone: a verdict ("within", "over", "cannot-tell"), "faint", "box" to be ticked, "blank" to be filled in, or
            "drawn" for what explains a chart, which only who sees the chart wants to read.
    """

    text: str
    notes: tuple[int, ...] = ()
    tone: str = ""


@dataclass(frozen=True, slots=True)
class SheetRow:
    """Cells of a table; `kind` is "sum" or "part" where the row is one, else ""."""

    cells: tuple[SheetCell, ...]
    kind: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A table.

    Args:
        numbers_from: first column whose figures stand right.
        wide: least width in rem before it scrolls by itself.
        folded: words under which a reader may close it; "" for a table that is always open.
    """

    head: tuple[str, ...]
    rows: tuple[SheetRow, ...]
    caption: str = ""
    numbers_from: int = NO_NUMBERS
    wide: int = 30
    folded: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """A heading, what it says, its charts by name, and its tables.

    Args:
        anchor: its place in the page; unique.
        level: 2 for a chapter, 3 for a section of the one before.
        breaks: whether it starts on a sheet of paper of its own.
    """

    title: str
    anchor: str
    level: int = 2
    sentences: tuple[SheetCell, ...] = ()
    charts: tuple[str, ...] = ()
    sheets: tuple[Sheet, ...] = ()
    breaks: bool = False


@dataclass(frozen=True, slots=True)
class Footnote:
    text: str
    url: str
    dated: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheets:
    title: str
    subtitle: tuple[SheetCell, ...]
    chapters: tuple[Chapter, ...]
    notes: tuple[Footnote, ...]


@final
class Notes:
    def __init__(self, sources: Mapping[str, Source]) -> None:
        self._sources = sources
        self._numbers: dict[Footnote, int] = {}

    def of(self, source: str) -> tuple[int, ...]:
        """The number of a source: an id of the catalog, or its words; none for ""."""
        if not source:
            return ()
        return (self._numbers.setdefault(self._footnote(source), len(self._numbers) + 1),)

    def all(self) -> tuple[Footnote, ...]:
        return tuple(self._numbers)

    def _footnote(self, source: str) -> Footnote:
        known = self._sources.get(source)
        if known is not None:
            return Footnote(known.text, known.url, day(known.as_of))
        return Footnote("the checklist" if source == CHECKLIST else source, "", "")


def texts(*each: str) -> tuple[SheetCell, ...]:
    return tuple(SheetCell(text) for text in each)
