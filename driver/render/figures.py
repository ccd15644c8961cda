"""Derivations: what a figure is, and how it came about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.padding import Padding
from rich.text import Text

from driver.render.amounts import number
from planning.money import CENT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from decimal import Decimal

    from rich.console import RenderableType

    from planning.demand import Figure

NOT_COMPUTED: Final = "not known"


def figure_parts(figures: Iterable[Figure]) -> Iterator[RenderableType]:
    """Each figure with its formula, inputs and source, under the heading of its subject."""
    subject = ""
    for figure in figures:
        if figure.subject != subject:
            subject = figure.subject
            yield Text(subject, style="bold")
        yield Padding(_figure(figure), (0, 0, 0, 2))
        yield Padding(_derivation(figure), (0, 0, 0, 6))


def _figure(figure: Figure) -> Text:
    value = NOT_COMPUTED if figure.value is None else f"{figure_number(figure.value)} {figure.unit}".strip()
    return Text.assemble(figure.name, " = ", (value, "bold" if figure.value is not None else "yellow"))


def _derivation(figure: Figure) -> Text:
    terms = "; ".join(f"{name} = {value}" for name, value in figure.inputs)
    lines = (figure.formula, terms, f"source: {figure.source}" if figure.source else "")
    return Text("\n".join(line for line in lines if line), style="dim")


def figure_number(value: Decimal) -> str:
    """A figure to two decimals, or to three digits where it is smaller than that."""
    return number(value) if not value or abs(value) >= CENT else f"{value:.3g}"
