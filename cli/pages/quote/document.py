"""The quote as the document that people sign off on: its chapters, in the order in which they are read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cli.pages.quote.comparison import by_line, runs, side_by_side
from cli.pages.quote.html import page
from cli.pages.quote.markdown import markdown as written
from cli.pages.quote.market import build_ownership_sheet, market
from cli.pages.quote.option import bills, options
from cli.pages.quote.sheets import Chapter, Notes, Sheet, SheetCell, SheetRow, Sheets, texts
from cli.pages.quote.terms import assumptions, not_priced, prices, reasons, signing
from cli.terminal.amounts import describe_month, total
from cli.views.quote.labels import (
    describe_tradeoff,
    describe_twins,
    explain_verdict,
    letter,
    option_title,
    order_options,
)
from cli.views.quote.summary import describe_ceilings, describe_guard, describe_quote
from planning.quoting.option import ceilings
from planning.quoting.price_performance import standings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from catalogs.catalog import Catalog
    from operations.plans.quote import QuoteResult
    from planning.checklist.model.checklist import Checklist
    from planning.quoting.price_performance import MarketRank
    from planning.quoting.quote import Option, Quote


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
        texts[Path(markdown)] = written(said)
    return texts
