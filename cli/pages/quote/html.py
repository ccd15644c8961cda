"""The quote document on one page that needs nothing but itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cli.pages.documents.markup import Markup, element, joined, note_marks, wide, words
from cli.pages.documents.shell import whole_page
from cli.pages.quote.charts import charts
from cli.pages.quote.style import QUOTE_STYLE
from cli.pages.quote.terms import letters

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from catalogs.catalog import Catalog
    from cli.pages.quote.sheets import Cell, Chapter, Footnote, Row, Sheet, Sheets
    from planning.checklist.model.checklist import Checklist
    from planning.quoting.market_rank import Standing
    from planning.quoting.quote import Quote

SHORT: Final = 12  # rows of a table that paper shows in one piece
CHAPTER: Final = 2  # level of a heading; sections of a chapter are below


def page(sheets: Sheets, quote: Quote, *, checklist: Checklist, catalog: Catalog, standings: Sequence[Standing]) -> str:
    """The whole page as text, without anything that would be fetched.

    Args:
        sheets: what it says, from `cli.pages.quote.document` for the same quote.
    """
    drawn = charts(quote, checklist=checklist, catalog=catalog, standings=standings)
    main = element("main", joined(_body(sheets, drawn, letters(quote))))
    return whole_page(sheets.title, main, style=QUOTE_STYLE)


def _body(sheets: Sheets, drawn: Mapping[str, tuple[Markup, ...]], key: str) -> Iterator[Markup]:
    yield element("h1", words(sheets.title))
    yield element("div", *(element("p", words(each.text)) for each in sheets.subtitle), class_="standing")
    chapters = [each for each in sheets.chapters if each.level == CHAPTER]
    yield element("nav", *(element("a", words(each.title), href=f"#{each.anchor}") for each in chapters))
    for chapter in sheets.chapters:
        yield element(
            "section", joined(_chapter(chapter, drawn, key)), class_="breaks" if chapter.breaks else "chapter"
        )
    if sheets.notes:
        yield element("h2", words("Where the figures are from"), id="notes")
        yield element("ol", *(_note(at, note) for at, note in enumerate(sheets.notes, 1)), class_="notes")


def _chapter(chapter: Chapter, drawn: Mapping[str, tuple[Markup, ...]], key: str) -> Iterator[Markup]:
    yield element(f"h{chapter.level}", words(chapter.title), id=chapter.anchor)
    for sentence in chapter.sentences:
        if sentence.text:
            yield _sentence(sentence)
    shown = [part for name in chapter.charts for part in drawn.get(name, ())]
    yield from shown
    if shown:
        yield element("p", words(key), class_="key")
    for sheet in chapter.sheets:
        kind = f"{chapter.anchor} stacked" if sheet.head else "plain"
        whole = " short" if len(sheet.rows) <= SHORT else ""
        yield _sheet(sheet, chapter=chapter.title, kind=f"sheet {kind}{whole}")


def _sentence(sentence: Cell) -> Markup:
    if sentence.tone == "blank":
        return element("p", element("span", words(sentence.text)), element("i"), class_="blank")
    if sentence.tone in {"within", "over", "cannot-tell"}:
        return element(
            "p", words("verdict: "), element("span", words(sentence.text), class_=f"verdict {sentence.tone}")
        )
    return element("p", words(sentence.text), note_marks(sentence.notes), class_=sentence.tone or "said")


def _sheet(sheet: Sheet, *, chapter: str, kind: str) -> Markup:
    caption = (element("caption", words(sheet.caption)),) if sheet.caption else ()
    head = (element("thead", _head(sheet)),) if sheet.head else ()
    rows = (_row(row, sheet) for row in sheet.rows)
    table = element(
        "table", *caption, *head, element("tbody", joined(rows)), class_=kind, style=f"min-width: {sheet.wide}rem"
    )
    label = " ".join(part for part in (chapter, sheet.folded, sheet.caption) if part)
    region = wide(table, tabindex=0, role="region", aria_label=label)
    if not sheet.folded:
        return region
    return element("details", element("summary", words(sheet.folded)), region, open="open")


def _head(sheet: Sheet) -> Markup:
    cells = (
        element("th", words(text), scope="col", class_="number" if at >= sheet.numbers_from else "text")
        for at, text in enumerate(sheet.head)
    )
    return element("tr", *cells)


def _row(row: Row, sheet: Sheet) -> Markup:
    cells = (_cell(cell, sheet, at=at) for at, cell in enumerate(row.cells))
    return element("tr", *cells, class_=row.kind or "line")


def _cell(cell: Cell, sheet: Sheet, *, at: int) -> Markup:
    """A cell; where a phone stacks the cells of a row, each says the head of its column itself."""
    head = sheet.head[at] if at and at < len(sheet.head) and cell.text else ""
    said = (words(cell.text), note_marks(cell.notes))
    class_ = _class(cell, number=at >= sheet.numbers_from)
    return element("td", *said, class_=class_, data_label=head) if head else element("td", *said, class_=class_)


def _class(cell: Cell, *, number: bool) -> str:
    return " ".join(part for part in ("number" if number else "text", cell.tone) if part)


def _note(at: int, note: Footnote) -> Markup:
    url = element("a", words(note.url), href=note.url, rel="noreferrer") if is_link(note.url) else words(note.url)
    parts = [part for part in (words(note.text), url, words(note.dated)) if part]
    return element("li", Markup(", ".join(parts)), id=f"note-{at}")


def is_link(url: str) -> bool:
    """Whether an address may be followed: of the web, and nothing that runs."""
    return url.startswith(("https://", "http://"))
