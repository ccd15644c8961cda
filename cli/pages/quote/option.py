"""Sections on one option: its pools, what there is to know of it, and its whole bill."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cli.pages.quote.sheets import Chapter, Sheet, SheetCell, SheetRow, texts
from cli.terminal.amounts import day, describe_month, floor, format_unpriced, nodes, quantity, usd_exact, usd_range
from cli.views.quote.labels import describe_verdict, letter, option_title, views
from cli.views.quote.options import find_shared_details, list_named_pools, option_details, where
from planning.costs.bill import Bill, BillGroup
from planning.costs.bill import total as sum_of
from planning.spec.lock_content import State

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from cli.pages.quote.sheets import Notes
    from planning.costs.bill import LineItem
    from planning.quoting.quote import Option, Quote


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
    chapters = (row for group in BillGroup for row in _chapter(option.bill, group, notes))
    return Sheet(
        head=("line", "what it is made of", "min", "expected", "max"),
        rows=(*chapters, _sum("total", option.bill.lines)),
        numbers_from=2,
        caption="USD a month",
        folded=f"{option_title(at, option)}, {option.id}",
        wide=40,
    )


def _chapter(bill: Bill, group: BillGroup, notes: Notes) -> Iterator[SheetRow]:
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
