"""The quote as the document that people sign off on: its chapters, in the order in which they are read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cli.pages.quote.comparison import build_ownership_sheet, by_line, market, runs, side_by_side
from cli.pages.quote.html import page
from cli.pages.quote.sheets import Chapter, Notes, Sheet, SheetCell, SheetRow, Sheets, texts
from cli.pages.quote.terms import assumptions, not_priced, prices, reasons, signing
from cli.terminal.amounts import (
    day,
    describe_month,
    floor,
    format_unpriced,
    nodes,
    quantity,
    total,
    usd_exact,
    usd_range,
)
from cli.views.quote.options import (
    describe_tradeoff,
    describe_twins,
    describe_verdict,
    explain_verdict,
    find_shared_details,
    letter,
    list_named_pools,
    option_details,
    option_title,
    order_options,
    views,
    where,
)
from cli.views.quote.summary import describe_ceilings, describe_guard, describe_quote
from planning.costs.bill import Bill, BillGroup
from planning.costs.bill import total as sum_of
from planning.quoting.option import ceilings
from planning.quoting.price_performance import standings
from planning.spec.lock_content import State
from planning.values.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from catalogs.catalog import Catalog
    from cli.pages.quote.sheets import Footnote
    from operations.plans.quote import QuoteResult
    from planning.checklist.model.checklist import Checklist
    from planning.costs.bill import LineItem
    from planning.quoting.price_performance import MarketRank
    from planning.quoting.quote import Option, Quote


SPECIAL: Final = re.compile(r"([\\`*_\[\]<>|~#])")
DRAWN: Final = "drawn"
LINE: Final = "_" * 40


def markdown_text(sheets: Sheets) -> str:
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


def options(quote: Quote) -> Iterator[Chapter]:
    shared = find_shared_details(quote.options)
    if quote.options:
        rows = tuple(_terms((label, sentences) for label, sentences in shared.items()))
        sheets = (Sheet(head=(), rows=rows, caption="What holds for all options", wide=0),) if rows else ()
        yield Chapter(title="Each option", anchor="each", sheets=sheets)
    for at, option in enumerate(quote.options):
        yield _option(at, option, shared)


def _option(at: int, option: Option, shared: dict[str, tuple[str, ...]]) -> Chapter:
    pools = Sheet(
        head=("pool", "machine", "accelerators", "purchase", "nodes min / exp / max"),
        rows=tuple(_pools(option)),
        numbers_from=4,
        wide=36,
    )
    details = Sheet(head=(), rows=tuple(_terms(option_details(option, shared=shared))), wide=0)
    verdict = option.judgement.verdict.value
    return Chapter(
        title=f"{letter(at)}: {option.id}",
        anchor=f"option-{letter(at)}",
        level=3,
        sentences=(
            SheetCell(f"{views(option)} · {where(option)} · {describe_month(option.bill)}"),
            SheetCell(describe_verdict(option), tone=verdict.replace(" ", "-")),
        ),
        sheets=(pools, details),
    )


def _pools(option: Option) -> Iterator[SheetRow]:
    for name, pool in list_named_pools(option):
        accelerators = f"{pool.accelerators}x {pool.accelerator}" if pool.accelerator else ""
        yield SheetRow(texts(name, pool.machine, accelerators, pool.purchase.replace("_", " "), nodes(pool)))


def _terms(said: Iterable[tuple[str, Sequence[str]]]) -> Iterator[SheetRow]:
    for label, sentences in said:
        for position, sentence in enumerate(sentences):
            yield SheetRow((SheetCell("" if position else label, tone="faint"), SheetCell(sentence)))


def bills(quote: Quote, notes: Notes) -> Iterator[Chapter]:
    if not quote.options:
        return
    sheets = tuple(_bill(at, option, notes) for at, option in enumerate(quote.options))
    yield Chapter(title="Annex: the whole bills", anchor="bills", sheets=sheets, breaks=True)


def _bill(at: int, option: Option, notes: Notes) -> Sheet:
    chapters = (row for group in BillGroup for row in _document_chapter(option.bill, group, notes))
    return Sheet(
        head=("line", "what it is made of", "min", "expected", "max"),
        rows=(*chapters, _sum("total", option.bill.lines)),
        numbers_from=2,
        caption="USD a month",
        folded=f"{option_title(at, option)}, {option.id}",
        wide=40,
    )


def _document_chapter(bill: Bill, group: BillGroup, notes: Notes) -> Iterator[SheetRow]:
    lines = [line for line in bill.lines if line.group is group]
    for line in lines:
        amounts = ("", line.state.value, "") if line.state is not State.PRICED else usd_range(line.usd_per_month)
        tone = "cannot-tell" if line.state is State.UNPRICED else ""
        yield SheetRow(
            (
                SheetCell(line.label),
                SheetCell(_describe_line(line), notes.of(line.source), "faint"),
                *(SheetCell(amount, tone=tone) for amount in amounts),
            )
        )
    if lines:
        yield _sum(group.value, lines)


def _describe_line(line: LineItem) -> str:
    amount = quantity(line.quantity, line.unit)
    price = f" x {usd_exact(line.usd_per_unit)} USD" if line.usd_per_unit is not None else ""
    dated = f", {day(line.as_of)}" if line.source and line.state is State.PRICED and line.as_of else ""
    return f"{amount}{price}{dated}{f'; {line.note}' if line.note else ''}"


def _sum(label: str, lines: Sequence[LineItem]) -> SheetRow:
    missing = len(Bill(tuple(lines)).unpriced)
    amounts = (floor(amount, unpriced=missing) for amount in usd_range(sum_of(lines)))
    return SheetRow(texts(label, format_unpriced(missing), *amounts), "sum")


def recommendation(quote: Quote) -> Iterator[Chapter]:
    if not quote.options:
        return
    first = quote.options[0]
    twins = ("nearly the same",) if any(each.twins for each in quote.options[1:]) else ()
    head = ("option", "USD a month, expected", "compared with A", *twins)
    rows = tuple(_row(at, option, columns=len(head)) for at, option in enumerate(quote.options))
    yield Chapter(
        title="Recommendation" if first.recommended else "Options in short",
        anchor="recommended",
        sentences=tuple(_first(first)) if first.recommended else (),
        sheets=(Sheet(head=head, rows=rows[1:] if first.recommended else rows, wide=40),) if rows[1:] else (),
    )


def _first(option: Option) -> Iterator[SheetCell]:
    yield SheetCell(f"{letter(0)}: {option.id}, {describe_month(option.bill)}.")
    yield SheetCell(describe_tradeoff(option))
    yield SheetCell(f"The verdict: {explain_verdict(option)}.")
    if option.misses:
        yield SheetCell(f"It misses {'; '.join(option.misses)}.", tone="over")
    if option.twins:
        also = describe_twins(option)
        yield SheetCell(f"{also[0].upper()}{also[1:]}.")


def _row(at: int, option: Option, *, columns: int) -> SheetRow:
    expected = total(option.bill.usd_per_month.expected, bill=option.bill)
    misses = f" Misses: {'; '.join(option.misses)}." if option.misses else ""
    said = f"{describe_tradeoff(option)}{misses}"
    return SheetRow(texts(option_title(at, option), expected, said, describe_twins(option))[:columns])


def sheets(quote: Quote, *, checklist: Checklist, catalog: Catalog, standings: Sequence[MarketRank]) -> Sheets:
    """Everything the document says.

    Args:
        catalog: price book of the quote; its sources are the footnotes.
        standings: of the same quote, from `planning.quoting.price_performance`.
    """
    notes = Notes(catalog.sources)
    chapters = tuple(_chapters(quote, checklist, catalog, standings, notes))
    return Sheets(
        title=f"GPU cluster for {checklist.customer.name}: a quote",
        subtitle=(
            SheetCell(describe_quote(quote)),
            SheetCell(describe_ceilings(ceilings(checklist))),
            *(SheetCell(each) for each in (describe_guard(quote, ceilings(checklist)),) if each),
        ),
        chapters=chapters,
        notes=notes.all(),
    )


def _chapters(
    quote: Quote, checklist: Checklist, catalog: Catalog, standings: Sequence[MarketRank], notes: Notes
) -> Iterator[Chapter]:
    yield from recommendation(quote)
    yield from side_by_side(quote)
    yield from by_line(quote)
    yield from runs(quote, checklist)
    yield from market(quote, standings, accelerators=catalog.accelerators, notes=notes)
    yield from build_ownership_sheet(quote, notes)
    yield from options(quote)
    yield from not_priced(quote)
    yield from reasons(quote)
    yield from assumptions(quote, notes)
    yield from prices(quote)
    yield from signing(quote)
    yield from bills(quote, notes)


def documents(answer: QuoteResult, *, html: str, markdown: str) -> Mapping[Path, str]:
    quote, checklist, catalog = order_options(answer.quote), answer.checklist, answer.catalog
    found = standings(quote, checklist, catalog)
    said = sheets(quote, checklist=checklist, catalog=catalog, standings=found)
    texts: dict[Path, str] = {}
    if html:
        texts[Path(html)] = page(said, quote, checklist=checklist, catalog=catalog, standings=found)
    if markdown:
        texts[Path(markdown)] = markdown_text(said)
    return texts
