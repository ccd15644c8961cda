"""Derivations: what a figure is, and how it came about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cli.terminal.amounts import (
    ABOUT,
    day,
    format_unpriced,
    mark,
    number,
    quantity,
    term_number,
    usd,
    usd_exact,
    usd_range,
)
from cli.terminal.console import GAP, ScreenLine, wrap
from planning.costs.bill import Bill, BillGroup, total
from planning.spec.lock_content import State
from planning.values.money import CENT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from decimal import Decimal

    from planning.costs.bill import LineItem
    from planning.sizing.demand import SizingFigure


NOT_COMPUTED: Final = "not known"
INDENT: Final = "  "


def lay_out_figures(figures: Iterable[SizingFigure], *, width: int) -> Iterator[ScreenLine]:
    subject = ""
    for figure in figures:
        if figure.subject != subject:
            subject = figure.subject
            yield from wrap(subject, width=width, rest=INDENT, style="bold")
        value = describe_value(figure)
        yield from wrap(f"{figure.name} = {value}", width=width, first=INDENT, rest=INDENT * 2)
        yield from _derivation(figure, width=width)


def _derivation(figure: SizingFigure, *, width: int) -> Iterator[ScreenLine]:
    terms = "; ".join(f"{name} = {term_number(value)}" for name, value in figure.inputs)
    for said in (figure.formula, terms, f"source: {figure.source}" if figure.source else ""):
        yield from wrap(said, width=width, first=INDENT * 3, rest=INDENT * 3, style="dim")


def describe_value(figure: SizingFigure) -> str:
    """The value of a figure with its unit; USD in cents, rounded as the bill rounds them."""
    if figure.value is None:
        return NOT_COMPUTED
    shown = usd(figure.value) if figure.unit.startswith("USD a month") else figure_number(figure.value)
    return f"{shown} {figure.unit}".strip()


def figure_number(value: Decimal) -> str:
    """A figure to two decimals, or to three digits where it is smaller than that."""
    return number(value) if not value or abs(value) >= CENT else f"{value:.3g}"


HEAD: Final = ("min", "expected", "max")
LEAST_ROOM: Final = 28  # columns of a label beside its amounts; with fewer they stand below it

Amounts = tuple[str, str, str]


def lay_out_bill(bill: Bill, *, width: int) -> Iterator[ScreenLine]:
    rows = list(_rows(bill))
    wide = [max(len(amounts[at]) for _, amounts, *_ in rows) for at in range(len(HEAD))]
    room = width - sum(wide) - len(GAP) * len(HEAD)
    for label, amounts, said, style in rows:
        figures = "".join(f"{GAP}{each.rjust(size)}" for each, size in zip(amounts, wide, strict=True))
        if room >= LEAST_ROOM or len(label) <= room:
            yield from _beside(label, figures, room=room, style=style)
        else:
            yield from wrap(label, width=width, rest=INDENT, style=style)
            yield ScreenLine(figures.rjust(width), style=style)
        yield from wrap(said, width=width, first=INDENT * 2, rest=INDENT * 2, style="dim")


def _beside(label: str, figures: str, *, room: int, style: str) -> Iterator[ScreenLine]:
    first, *rest = wrap(label, width=room, rest=INDENT, style=style)
    yield ScreenLine(f"{first.text.ljust(room)}{figures}", style=style)
    yield from rest


def _rows(bill: Bill) -> Iterator[tuple[str, Amounts, str, str]]:
    yield "USD a month", HEAD, "", "dim"
    for group in BillGroup:
        lines = [line for line in bill.lines if line.group is group]
        for line in lines:
            yield line.label, line_amounts(line), derivation(line), "warn" if line.state is State.UNPRICED else ""
        if lines:
            yield _sum(group.value, lines)
    yield _sum("total", bill.lines)


def line_amounts(line: LineItem) -> Amounts:
    """What a line costs at least, as expected and at most; the word of its state where it has no amount."""
    if line.state is State.PRICED:
        return usd_range(line.usd_per_month)
    if line.state is State.ESTIMATED:
        least, expected, most = usd_range(line.usd_per_month)
        return f"{ABOUT}{least}", f"{ABOUT}{expected}", f"{ABOUT}{most}"
    return "", line.state.value, ""


def derivation(line: LineItem) -> str:
    """Quantity, unit, unit price, source, day and note of a line in one sentence."""
    amount = quantity(line.quantity, line.unit)
    if line.state is State.UNPRICED:
        return f"{amount}: {line.note}" if line.note else amount
    about = ABOUT if line.state is State.ESTIMATED else ""
    price = f"{amount} x {about}{usd_exact(line.usd_per_unit)}" if line.usd_per_unit is not None else amount
    dated = f", {day(line.as_of)}" if line.as_of else ""
    note = f"; {line.note}" if line.note else ""
    return f"{price}; {line.source}{dated}{note}"


def _sum(label: str, lines: Sequence[LineItem]) -> tuple[str, Amounts, str, str]:
    """A sum below its lines; a floor where one of them has no price."""
    bill = Bill(tuple(lines))
    least, expected, most = (mark(each, bill) for each in usd_range(total(lines)))
    doubts = format_unpriced(bill)
    return f"{label} ({doubts})" if doubts else label, (least, expected, most), "", "bold"
