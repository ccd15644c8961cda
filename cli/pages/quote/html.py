"""The quote document on one page that needs nothing but itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cli.pages.charts.lines import owning_chart, run_chart
from cli.pages.charts.market import market_chart
from cli.pages.charts.rows import bill_chart, legend, range_chart, rate_chart, rate_rows
from cli.pages.documents.html import Markup, element, escape_text, join_parts, make_scrollable, note_marks, whole_page
from cli.pages.quote.comparison import buyings, deadline_days, workloads_run
from cli.pages.quote.terms import letters
from cli.views.quote.options import letter
from planning.quoting.price_performance import compare_ownership

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from catalogs.catalog import Catalog
    from cli.pages.quote.sheets import Chapter, Footnote, Sheet, SheetCell, SheetRow, Sheets
    from planning.checklist.model.checklist import Checklist
    from planning.quoting.price_performance import MarketRank
    from planning.quoting.quote import Quote


Drawn = tuple[str, tuple[Markup, ...]]


def charts(
    quote: Quote, *, checklist: Checklist, catalog: Catalog, standings: Sequence[MarketRank]
) -> Mapping[str, tuple[Markup, ...]]:
    if not quote.options:
        return {}
    return dict(
        (
            *_money(quote, checklist),
            *_runs(quote, checklist),
            *((f"market-{each.precision}", (market_chart(each, catalog.providers),)) for each in standings),
            *_owning(quote),
        )
    )


def _money(quote: Quote, checklist: Checklist) -> Iterator[Drawn]:
    ceiling = checklist.ceiling.usd_per_month
    yield "ranges", (range_chart(quote.options, ceiling=ceiling),)
    yield "bill", (legend(quote.options), bill_chart(quote.options, ceiling=ceiling))
    if rate_rows(quote.options):
        yield "rates", (rate_chart(quote.options),)


def _runs(quote: Quote, checklist: Checklist) -> Iterator[Drawn]:
    for name in workloads_run(quote):
        deadline = deadline_days(checklist, name)
        drawn = run_chart(quote.options, workload=name, deadline_days=deadline)
        yield f"run-{name}", (element("p", escape_text(name), class_="key"), drawn)


def _owning(quote: Quote) -> Iterator[Drawn]:
    for buying, every in buyings(quote):
        known = compare_ownership(buying)
        if known is None:
            continue
        key = element(
            "p",
            element("span", element("i", class_="rented"), escape_text("rented, a full line")),
            element("span", element("i", class_="owned"), escape_text("bought, a broken line")),
            class_="legend",
        )
        options = ", ".join(letter(at) for at in every)
        yield (
            f"buying-{letter(every[0])}",
            (element("p", escape_text(options), class_="key"), key, owning_chart(buying, known, every=every)),
        )


# Okabe and Ito's colours, told apart by readers with any colour vision; lighter where the paper is dark.
QUOTE_STYLE: Final = """
:root { --compute: #0072b2; --plane: #56b4e9; --storage: #009e73; --network: #e69f00; --watching: #cc79a7;
  --security: #8f8600; --services: #d55e00; --band: #b9d6ea; --mark: #00507d; --disc: #00507d; --disc-ink: #ffffff;
  --dot: #5b6573; --owned: #d55e00; }
@media (prefers-color-scheme: dark) { :root { --compute: #4ba3dc; --plane: #a8daf7; --storage: #2fbd93;
  --network: #f0b840; --watching: #e3a1c6; --security: #d6cb3c; --services: #f0803c; --band: #2c536d;
  --mark: #9fd4f5; --disc: #9fd4f5; --disc-ink: #10202b; --dot: #9aa4b2; --owned: #f0803c; } }
.chart { max-width: 52rem; margin: .8rem 0; overflow: visible; } svg.chart text { font-size: 13.5px; }
.chart .compute { fill: var(--compute); } .chart .control-plane { fill: var(--plane); }
.chart .storage { fill: var(--storage); } .chart .network { fill: var(--network); }
.chart .observability { fill: var(--watching); } .chart .security { fill: var(--security); }
.chart .services { fill: var(--services); } .chart rect.part { stroke: var(--paper); stroke-width: 1; }
.legend i.compute { background: var(--compute); } .legend i.control-plane { background: var(--plane); }
.legend i.storage { background: var(--storage); } .legend i.network { background: var(--network); }
.legend i.observability { background: var(--watching); } .legend i.security { background: var(--security); }
.legend i.services { background: var(--services); } .legend i.rented { background: var(--mark); }
.legend i.owned { background: var(--owned); }
.chart .band { fill: var(--band); } .chart .mark { fill: var(--mark); stroke: var(--paper); stroke-width: 1.5; }
.chart .disc { fill: var(--disc); stroke: var(--paper); stroke-width: 1.5; }
.chart .dot { fill: var(--dot); opacity: .55; }
svg.chart text.letter { fill: var(--disc-ink); text-anchor: middle; font-weight: 700; }
svg.chart .amount { dominant-baseline: auto; font-weight: 600; font-variant-numeric: tabular-nums; }
svg.chart .reach { fill: var(--faint); } svg.chart .end { text-anchor: end; }
svg.chart .beside { text-anchor: end; } svg.chart .head { text-anchor: start; }
svg.chart .name .where, svg.chart .amount .where { font-weight: 400; }
svg.chart .ceiling-name { text-anchor: start; font-weight: 600; }
svg.chart .even-name { text-anchor: middle; font-weight: 600; }
svg.chart .ceiling-name.left { text-anchor: end; }
.chart path { fill: none; stroke-width: 3; stroke-linejoin: round; } .chart .rented { stroke: var(--mark); }
.chart .owned { stroke: var(--owned); stroke-dasharray: 9 4; }
.chart .even { stroke: var(--ink); stroke-dasharray: 3 3; }
.chart .dot-even { fill: var(--paper); stroke: var(--ink); stroke-width: 2.5; }
nav { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; font-size: .86rem; margin: 1rem 0 0; }
a { color: var(--ink); text-underline-offset: .15em; }
.standing { border-left: 4px solid var(--compute); background: var(--tint);
  padding: .6rem .9rem; margin: 1rem 0; }
.wide:focus-visible { outline: 2px solid var(--compute); } .sheet caption { padding: .3rem 0; color: var(--faint); }
.sheet td { overflow-wrap: break-word; } .sheet.plain td { overflow-wrap: anywhere; }
.sheet.plain td:first-child { min-width: 6.5rem; width: 9rem; }
.sheet td.faint, .sheet th.faint { color: var(--faint); font-weight: 400; }
.options td:first-child { position: sticky; left: 0; background: var(--paper); min-width: 6.5rem; }
.options tr.sum td:first-child { background: var(--tint); } .options td { min-width: 9rem; }
sup { font-size: .72em; line-height: 1; color: var(--faint); }
sup a { color: var(--faint); text-decoration: none; padding: 0 .1em; }
.key { color: var(--faint); font-size: .82rem; overflow-wrap: anywhere; } .key b { color: var(--ink); }
.box::before { content: "\\2610"; margin-right: .6em; } .box { margin: .5rem 0; overflow-wrap: anywhere; }
.blank { display: flex; gap: .8rem; margin: 1.3rem 0; max-width: 40rem; }
.blank i { flex: 1; border-bottom: 1px solid var(--ink); }
details { margin: 1rem 0; } details summary { font-weight: 600; overflow-wrap: anywhere; }
ol.notes { font-size: .82rem; color: var(--faint); overflow-wrap: anywhere; padding-left: 2rem; }
ol.notes :target, ol.notes li:target { color: var(--ink); background: var(--tint); }
@media (max-width: 40rem) { body { margin: 1rem auto; padding: 0 1rem; } h1 { font-size: 1.35rem; }
  svg.chart text, svg.chart text.tick { font-size: 23px; } .chart .where, .chart .odd, .chart .long { display: none; }
  svg.chart text.letter { font-size: 17px; } svg.chart text.where { display: inline; }
  dl, .sheet { font-size: .84rem; } }
@media screen and (max-width: 40rem) { .stacked { min-width: 0 !important; } .stacked thead { display: none; }
  .stacked, .stacked tbody, .stacked tr, .stacked td { display: block; } .stacked td:empty { display: none; }
  .stacked caption { display: block; } .stacked tr { border-bottom: 1px solid var(--rule); padding: .4rem 0; }
  .stacked td { border: 0; padding: .05rem 0; min-width: 0 !important; text-align: left !important;
    white-space: normal !important; overflow-wrap: anywhere !important; }
  .stacked td:first-child { position: static; font-weight: 600; color: var(--ink); }
  .sheet.plain td:first-child { min-width: 6rem; width: 6.5rem; overflow-wrap: normal; }
  .stacked td[data-label]::before { content: attr(data-label) ": "; color: var(--faint); font-weight: 400; } }
@media print { @page { margin: 16mm 14mm; }
  :root { --ink: #000; --faint: #444; --rule: #bbb; --paper: #fff; --tint: #f2f2f2; --alert: #b3261e; --warn: #7a5000;
  --good: #14532d; --compute: #0072b2; --plane: #56b4e9; --storage: #009e73; --network: #e69f00; --watching: #cc79a7;
  --security: #8f8600; --services: #d55e00; --band: #b9d6ea; --mark: #00507d; --disc: #00507d; --disc-ink: #fff;
  --dot: #5b6573; --owned: #d55e00; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; } body { font-size: 10pt; padding: 0; }
  nav { display: none; } .breaks { break-before: page; } h2, h3, caption, summary { break-after: avoid; }
  .chart, tr, p, .standing, .short { break-inside: avoid; } .chart { max-width: 38rem; }
  section > p { break-after: avoid; } thead { display: table-header-group; }
  .wide { overflow: visible; } .wide > table { min-width: 0 !important; } .sheet { font-size: 8.5pt; }
  .options td { min-width: 0; } .options td:first-child { position: static; }
  details::details-content { content-visibility: visible; block-size: auto; } summary { list-style: none; } }
"""


SHORT: Final = 12  # rows of a table that paper shows in one piece
CHAPTER: Final = 2  # level of a heading; sections of a chapter are below


def page(
    sheets: Sheets, quote: Quote, *, checklist: Checklist, catalog: Catalog, standings: Sequence[MarketRank]
) -> str:
    """The whole page as text, without anything that would be fetched.

    Args:
        sheets: what it says, from `cli.pages.quote.document` for the same quote.
    """
    drawn = charts(quote, checklist=checklist, catalog=catalog, standings=standings)
    main = element("main", join_parts(_body(sheets, drawn, letters(quote))))
    return whole_page(sheets.title, main, style=QUOTE_STYLE)


def _body(sheets: Sheets, drawn: Mapping[str, tuple[Markup, ...]], key: str) -> Iterator[Markup]:
    yield element("h1", escape_text(sheets.title))
    yield element("div", *(element("p", escape_text(each.text)) for each in sheets.subtitle), class_="standing")
    chapters = [each for each in sheets.chapters if each.level == CHAPTER]
    yield element("nav", *(element("a", escape_text(each.title), href=f"#{each.anchor}") for each in chapters))
    for chapter in sheets.chapters:
        yield element(
            "section", join_parts(_chapter(chapter, drawn, key)), class_="breaks" if chapter.breaks else "chapter"
        )
    if sheets.notes:
        yield element("h2", escape_text("Where the figures are from"), id="notes")
        yield element("ol", *(_note(at, note) for at, note in enumerate(sheets.notes, 1)), class_="notes")


def _chapter(chapter: Chapter, drawn: Mapping[str, tuple[Markup, ...]], key: str) -> Iterator[Markup]:
    yield element(f"h{chapter.level}", escape_text(chapter.title), id=chapter.anchor)
    for sentence in chapter.sentences:
        if sentence.text:
            yield _sentence(sentence)
    shown = [part for name in chapter.charts for part in drawn.get(name, ())]
    yield from shown
    if shown:
        yield element("p", escape_text(key), class_="key")
    for sheet in chapter.sheets:
        kind = f"{chapter.anchor} stacked" if sheet.head else "plain"
        whole = " short" if len(sheet.rows) <= SHORT else ""
        yield _sheet(sheet, chapter=chapter.title, kind=f"sheet {kind}{whole}")


def _sentence(sentence: SheetCell) -> Markup:
    if sentence.tone == "blank":
        return element("p", element("span", escape_text(sentence.text)), element("i"), class_="blank")
    if sentence.tone in {"within", "over", "cannot-tell"}:
        return element(
            "p",
            escape_text("verdict: "),
            element("span", escape_text(sentence.text), class_=f"verdict {sentence.tone}"),
        )
    return element("p", escape_text(sentence.text), note_marks(sentence.notes), class_=sentence.tone or "said")


def _sheet(sheet: Sheet, *, chapter: str, kind: str) -> Markup:
    caption = (element("caption", escape_text(sheet.caption)),) if sheet.caption else ()
    head = (element("thead", _head(sheet)),) if sheet.head else ()
    rows = (_row(row, sheet) for row in sheet.rows)
    table = element(
        "table", *caption, *head, element("tbody", join_parts(rows)), class_=kind, style=f"min-width: {sheet.wide}rem"
    )
    label = " ".join(part for part in (chapter, sheet.folded, sheet.caption) if part)
    region = make_scrollable(table, tabindex=0, role="region", aria_label=label)
    if not sheet.folded:
        return region
    return element("details", element("summary", escape_text(sheet.folded)), region, open="open")


def _head(sheet: Sheet) -> Markup:
    cells = (
        element("th", escape_text(text), scope="col", class_="number" if at >= sheet.numbers_from else "text")
        for at, text in enumerate(sheet.head)
    )
    return element("tr", *cells)


def _row(row: SheetRow, sheet: Sheet) -> Markup:
    cells = (_cell(cell, sheet, at=at) for at, cell in enumerate(row.cells))
    return element("tr", *cells, class_=row.kind or "line")


def _cell(cell: SheetCell, sheet: Sheet, *, at: int) -> Markup:
    """A cell; where a phone stacks the cells of a row, each says the head of its column itself."""
    head = sheet.head[at] if at and at < len(sheet.head) and cell.text else ""
    said = (escape_text(cell.text), note_marks(cell.notes))
    class_ = _class(cell, number=at >= sheet.numbers_from)
    return element("td", *said, class_=class_, data_label=head) if head else element("td", *said, class_=class_)


def _class(cell: SheetCell, *, number: bool) -> str:
    return " ".join(part for part in ("number" if number else "text", cell.tone) if part)


def _note(at: int, note: Footnote) -> Markup:
    url = (
        element("a", escape_text(note.url), href=note.url, rel="noreferrer")
        if is_link(note.url)
        else escape_text(note.url)
    )
    parts = [part for part in (escape_text(note.text), url, escape_text(note.dated)) if part]
    return element("li", Markup(", ".join(parts)), id=f"note-{at}")


def is_link(url: str) -> bool:
    """Whether an address may be followed: of the web, and nothing that runs."""
    return url.startswith(("https://", "http://"))
