"""Derivations: what a figure is, and how it came about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cli.terminal.amounts import number, term_number, usd
from cli.terminal.layout import wrap
from planning.values.money import CENT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from decimal import Decimal

    from cli.terminal.layout import ScreenLine
    from planning.sizing.demand import Figure

NOT_COMPUTED: Final = "not known"
INDENT: Final = "  "


def lay_out_figures(figures: Iterable[Figure], *, width: int) -> Iterator[ScreenLine]:
    """Each figure with its formula, inputs and source, under the heading of its subject."""
    subject = ""
    for figure in figures:
        if figure.subject != subject:
            subject = figure.subject
            yield from wrap(subject, width=width, rest=INDENT, style="bold")
        value = describe_value(figure)
        yield from wrap(f"{figure.name} = {value}", width=width, first=INDENT, rest=INDENT * 2)
        yield from _derivation(figure, width=width)


def _derivation(figure: Figure, *, width: int) -> Iterator[ScreenLine]:
    terms = "; ".join(f"{name} = {term_number(value)}" for name, value in figure.inputs)
    for said in (figure.formula, terms, f"source: {figure.source}" if figure.source else ""):
        yield from wrap(said, width=width, first=INDENT * 3, rest=INDENT * 3, style="dim")


def describe_value(figure: Figure) -> str:
    """The value of a figure with its unit; USD in cents, rounded as the bill rounds them."""
    if figure.value is None:
        return NOT_COMPUTED
    shown = usd(figure.value) if figure.unit.startswith("USD a month") else figure_number(figure.value)
    return f"{shown} {figure.unit}".strip()


def figure_number(value: Decimal) -> str:
    """A figure to two decimals, or to three digits where it is smaller than that."""
    return number(value) if not value or abs(value) >= CENT else f"{value:.3g}"
