"""The first chapter of a quote: which option is recommended, and what speaks for and against each other one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cli.pages.quote.sheets import Cell, Chapter, Row, Sheet, texts
from cli.terminal.amounts import expected_month, total
from cli.views.quote.labels import describe_tradeoff, describe_twins, explain_verdict, letter, named

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.quoting.quote import Option, Quote


def recommendation(quote: Quote) -> Iterator[Chapter]:
    """The recommended option in words, the others in a row each."""
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


def _first(option: Option) -> Iterator[Cell]:
    yield Cell(f"{letter(0)}: {option.id}, {expected_month(option.bill)}.")
    yield Cell(describe_tradeoff(option))
    yield Cell(f"The verdict: {explain_verdict(option)}.")
    if option.misses:
        yield Cell(f"It misses {'; '.join(option.misses)}.", tone="over")
    if option.twins:
        also = describe_twins(option)
        yield Cell(f"{also[0].upper()}{also[1:]}.")


def _row(at: int, option: Option, *, columns: int) -> Row:
    expected = total(option.bill.usd_per_month.expected, bill=option.bill)
    misses = f" Misses: {'; '.join(option.misses)}." if option.misses else ""
    said = f"{describe_tradeoff(option)}{misses}"
    return Row(texts(named(at, option), expected, said, describe_twins(option))[:columns])
