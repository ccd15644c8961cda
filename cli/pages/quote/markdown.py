"""The quote document as Markdown: the same chapters, tables in place of charts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from planning.values.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cli.pages.quote.sheets import Chapter, Footnote, Sheet, SheetCell, Sheets

SPECIAL: Final = re.compile(r"([\\`*_\[\]<>|~#])")
DRAWN: Final = "drawn"
LINE: Final = "_" * 40


def markdown(sheets: Sheets) -> str:
    parts = [f"# {plain(sheets.title)}", "", *(f"{_render_cell(each)}\n" for each in sheets.subtitle)]
    for chapter in sheets.chapters:
        parts += [*_chapter(chapter), ""]
    if sheets.notes:
        parts += ["## Where the figures are from", ""]
        parts += [f"{number}. {_note(note)}" for number, note in enumerate(sheets.notes, 1)]
    return printable("\n".join(parts)).rstrip() + "\n"


def _chapter(chapter: Chapter) -> Iterator[str]:
    yield f"{'#' * chapter.level} {plain(chapter.title)}"
    yield ""
    for sentence in chapter.sentences:
        if sentence.text and sentence.tone != DRAWN:
            yield _render_cell(sentence)
            yield ""
    for sheet in chapter.sheets:
        yield from _table(sheet)
        yield ""


def _render_cell(sentence: SheetCell) -> str:
    match sentence.tone:
        case "box":
            return f"- [ ] {_cell(sentence)}"
        case "blank":
            return f"{_cell(sentence)}: {LINE}"
        case "within" | "over" | "cannot-tell":
            return f"**{_cell(sentence)}**"
        case _:
            return _cell(sentence)


def _table(sheet: Sheet) -> Iterator[str]:
    words = " · ".join(plain(each) for each in (sheet.folded, sheet.caption) if each)
    if words:
        yield f"*{words}*"
        yield ""
    width = max((len(row.cells) for row in sheet.rows), default=len(sheet.head))
    head = sheet.head or ("",) * width
    yield f"| {' | '.join(plain(each) for each in head)} |"
    yield f"|{'|'.join(' ---: ' if at >= sheet.numbers_from else ' --- ' for at in range(width))}|"
    for row in sheet.rows:
        mark = "**" if row.kind == "sum" else ""
        yield f"| {' | '.join(f'{mark}{_cell(each)}{mark}' if each.text else '' for each in row.cells)} |"


def _cell(cell: SheetCell) -> str:
    notes = f"<sup>[{', '.join(str(each) for each in cell.notes)}]</sup>" if cell.notes else ""
    return plain(cell.text) + notes


def _note(note: Footnote) -> str:
    parts = [plain(note.text), f"<{note.url}>" if _is_link(note.url) else plain(note.url), note.dated]
    return ", ".join(part for part in parts if part)


def _is_link(url: str) -> bool:
    return url.startswith(("https://", "http://")) and not any(each in url for each in "<> \n\"'")


def plain(text: str) -> str:
    return SPECIAL.sub(r"\\\1", " ".join(text.split()).replace("&", "&amp;"))
