"""The quote as the document that people sign off on: its chapters, in the order in which they are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cli.pages.quote.comparison import by_line, runs, side_by_side
from cli.pages.quote.market import market, owning
from cli.pages.quote.option import bills, options
from cli.pages.quote.recommendation import recommendation
from cli.pages.quote.sheets import Cell, Notes, Sheets
from cli.pages.quote.terms import assumptions, not_priced, prices, reasons, signing
from cli.views.quote.summary import describe_ceilings, describe_guard, describe_quote
from planning.quoting.option import ceilings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from catalogs.catalog import Catalog
    from cli.pages.quote.sheets import Chapter
    from planning.checklist.model.checklist import Checklist
    from planning.quoting.market_rank import Standing
    from planning.quoting.quote import Quote


def sheets(quote: Quote, *, checklist: Checklist, catalog: Catalog, standings: Sequence[Standing]) -> Sheets:
    """Everything the document says.

    Args:
        catalog: price book of the quote; its sources are the footnotes.
        standings: of the same quote, from `planning.quoting.market_rank`.
    """
    notes = Notes(catalog.sources)
    chapters = tuple(_chapters(quote, checklist, catalog, standings, notes))
    return Sheets(
        title=f"GPU cluster for {checklist.customer.name}: a quote",
        subtitle=(
            Cell(describe_quote(quote)),
            Cell(describe_ceilings(ceilings(checklist))),
            *(Cell(each) for each in (describe_guard(quote, ceilings(checklist)),) if each),
        ),
        chapters=chapters,
        notes=notes.all(),
    )


def _chapters(
    quote: Quote, checklist: Checklist, catalog: Catalog, standings: Sequence[Standing], notes: Notes
) -> Iterator[Chapter]:
    yield from recommendation(quote)
    yield from side_by_side(quote)
    yield from by_line(quote)
    yield from runs(quote, checklist)
    yield from market(quote, standings, accelerators=catalog.accelerators, notes=notes)
    yield from owning(quote, notes)
    yield from options(quote)
    yield from not_priced(quote)
    yield from reasons(quote)
    yield from assumptions(quote, notes)
    yield from prices(quote)
    yield from signing(quote)
    yield from bills(quote, notes)
