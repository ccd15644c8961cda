"""The quote as the document that people sign off on: its chapters, in the order in which they are read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cli.pages.documents.rendering import render_html, render_markdown
from cli.pages.quote.comparison import by_line, compare_buying, market, runs, side_by_side, verdict_tone
from cli.pages.quote.pictures import draw
from cli.pages.quote.sheets import chapter, find_note, sheet, texts
from cli.pages.quote.terms import assumptions, not_priced, prices, reasons, signing
from cli.terminal.amounts import (
    ABOUT,
    day,
    describe_month,
    format_unpriced,
    mark,
    quantity,
    total,
    usd_exact,
    usd_range,
)
from cli.views.quote.derivations import line_amounts
from cli.views.quote.options import (
    describe_tradeoff,
    describe_twins,
    describe_verdict,
    explain_verdict,
    find_shared_details,
    format_nodes,
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
from planning.documents.blocks import Document
from planning.documents.figures import cite
from planning.quoting.option import ceilings
from planning.quoting.price_performance import standings
from planning.spec.lock_content import State

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from catalogs.catalog import Catalog
    from operations.plans.quote import QuoteResult
    from planning.checklist.model.checklist import Checklist
    from planning.costs.bill import LineItem
    from planning.documents.blocks import Block, Table
    from planning.documents.figures import Sentence
    from planning.quoting.price_performance import MarketRank
    from planning.quoting.quote import Option, Quote

    Row = tuple[Sentence, ...]


def options(quote: Quote) -> Iterator[Block]:
    shared = find_shared_details(quote.options)
    if quote.options:
        yield from chapter("Each option", "each")
        if rows := list(_terms(shared.items())):
            yield sheet((), rows, caption="What holds for all options")
    for at, option in enumerate(quote.options):
        yield from _option(at, option, shared)


def _option(at: int, option: Option, shared: dict[str, tuple[str, ...]]) -> Iterator[Block]:
    yield from chapter(
        f"{letter(at)}: {option.id}",
        f"option-{letter(at)}",
        cite(f"{views(option)} · {where(option)} · {describe_month(option.bill)}"),
        cite(describe_verdict(option), tone=verdict_tone(option)),
        level=3,
    )
    head = ("pool", "machine", "accelerators", "purchase", "nodes min / exp / max")
    rows = [
        texts(
            name,
            pool.machine,
            f"{pool.accelerators}x {pool.accelerator}" if pool.accelerator else "",
            pool.purchase.replace("_", " "),
            format_nodes(pool),
        )
        for name, pool in list_named_pools(option)
    ]
    yield sheet(head, rows, anchor=f"option-{letter(at)}", numbers_from=4, wide=36)
    yield sheet((), list(_terms(option_details(option, shared=shared))))


def _terms(said: Iterable[tuple[str, Sequence[str]]]) -> Iterator[Row]:
    for label, sentences in said:
        for position, sentence in enumerate(sentences):
            yield cite("" if position else label, tone="faint"), cite(sentence)


def bills(quote: Quote, catalog: Catalog) -> Iterator[Block]:
    if quote.options:
        yield from chapter("Annex: the whole bills", "bills", breaks=True)
    yield from (_bill(at, option, catalog) for at, option in enumerate(quote.options))


def _bill(at: int, option: Option, catalog: Catalog) -> Table:
    head = ("line", "what it is made of", "min", "expected", "max")
    rows = [row for group in BillGroup for row in _group_rows(option.bill, group, catalog)]
    folded = f"{option_title(at, option)}, {option.id}"
    return sheet(
        head,
        [*rows, _sum("total", option.bill.lines)],
        anchor="bills",
        numbers_from=2,
        caption="USD a month",
        folded=folded,
        wide=40,
    )


def _group_rows(bill: Bill, group: BillGroup, catalog: Catalog) -> Iterator[Row]:
    lines = [line for line in bill.lines if line.group is group]
    for line in lines:
        amounts = line_amounts(line)
        tone = "undetermined" if line.state is State.UNPRICED else ""
        made_of = cite(_describe_line(line), source=find_note(catalog.sources, line.source), tone="faint")
        yield cite(line.label), made_of, *texts(*amounts, tone=tone)
    if lines:
        yield _sum(group.value, lines)


def _describe_line(line: LineItem) -> str:
    amount = quantity(line.quantity, line.unit)
    about = ABOUT if line.state is State.ESTIMATED else ""
    price = f" x {about}{usd_exact(line.usd_per_unit)} USD" if line.usd_per_unit is not None else ""
    dated = f", {day(line.as_of)}" if line.source and line.usd_per_unit is not None and line.as_of else ""
    return f"{amount}{price}{dated}{f'; {line.note}' if line.note else ''}"


def _sum(label: str, lines: Sequence[LineItem]) -> Row:
    bill = Bill(tuple(lines))
    amounts = (mark(amount, bill) for amount in usd_range(sum_of(lines)))
    return texts(label, format_unpriced(bill), *amounts, tone="sum")


def recommendation(quote: Quote) -> Iterator[Block]:
    if not quote.options:
        return
    first = quote.options[0]
    title = "Recommendation" if first.recommended else "Options in short"
    yield from chapter(title, "recommended", *(_recommend(first) if first.recommended else ()))
    twins = ("nearly the same",) if any(each.twins for each in quote.options[1:]) else ()
    head = ("option", "USD a month, expected", "compared with A", *twins)
    rows = [_row(at, option)[: len(head)] for at, option in enumerate(quote.options)]
    if rows[1:]:
        yield sheet(head, rows[1:] if first.recommended else rows, anchor="recommended", wide=40)


def _recommend(option: Option) -> Iterator[Sentence]:
    yield cite(f"{letter(0)}: {option.id}, {describe_month(option.bill)}.")
    yield cite(describe_tradeoff(option))
    yield cite(f"The verdict: {explain_verdict(option)}.")
    if option.misses:
        yield cite(f"It misses {'; '.join(option.misses)}.", tone="over")
    if option.twins:
        also = describe_twins(option)
        yield cite(f"{also[0].upper()}{also[1:]}.")


def _row(at: int, option: Option) -> Row:
    expected = total(option.bill.usd_per_month.expected, bill=option.bill)
    misses = f" Misses: {'; '.join(option.misses)}." if option.misses else ""
    return texts(option_title(at, option), expected, f"{describe_tradeoff(option)}{misses}", describe_twins(option))


def quote_document(
    quote: Quote, *, checklist: Checklist, catalog: Catalog, standings: Sequence[MarketRank]
) -> Document:
    """Everything that is said of a quote.

    Args:
        catalog: price book of the quote; its sources are the footnotes.
        standings: of the same quote, from `planning.quoting.price_performance`.
    """
    limits = ceilings(checklist)
    said = (describe_quote(quote), describe_ceilings(limits), describe_guard(quote, limits))
    return Document(
        title=cite(f"GPU cluster for {checklist.customer.name}: a quote"),
        lead=texts(*(each for each in said if each)),
        blocks=(
            *recommendation(quote),
            *side_by_side(quote),
            *by_line(quote),
            *runs(quote, checklist),
            *market(quote, standings, catalog),
            *compare_buying(quote, catalog),
            *options(quote),
            *not_priced(quote),
            *reasons(quote),
            *assumptions(quote, catalog),
            *prices(quote),
            *signing(quote),
            *bills(quote, catalog),
        ),
        family="quote",
    )


def page(quote: Quote, *, checklist: Checklist, catalog: Catalog, standings: Sequence[MarketRank]) -> str:
    document = quote_document(quote, checklist=checklist, catalog=catalog, standings=standings)
    pictures = draw(quote, checklist=checklist, catalog=catalog, standings=standings)
    return render_html(document, styles=("quote",), pictures=pictures)


def documents(answer: QuoteResult, *, html: str, markdown: str) -> Mapping[Path, str]:
    quote, checklist, catalog = order_options(answer.quote), answer.checklist, answer.catalog
    found = standings(quote, checklist, catalog)
    texts: dict[Path, str] = {}
    if html:
        texts[Path(html)] = page(quote, checklist=checklist, catalog=catalog, standings=found)
    if markdown:
        document = quote_document(quote, checklist=checklist, catalog=catalog, standings=found)
        texts[Path(markdown)] = render_markdown(document)
    return texts
