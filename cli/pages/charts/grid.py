"""The lines of an axis through a chart, with its amounts and its unit below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cli.pages.documents.markup import Markup, element, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from decimal import Decimal

    from cli.pages.charts.scale import Scale


def grid(axis: Scale, *, top: int, bottom: int, unit: str, shown: Callable[[Decimal], str]) -> Iterator[Markup]:
    """A line for each tick.

    Args:
        axis: where the ticks are.
        top: pixel where the lines start.
        bottom: pixel where the rows end; amounts and unit stand below it.
        unit: of the amounts, for the reader.
        shown: the words of one amount.
    """
    for tick in axis.ticks:
        x = axis.at(tick)
        yield element("line", x1=x, x2=x, y1=top, y2=bottom + 4, class_="grid")
        yield element("text", words(shown(tick)), x=x, y=bottom + 20, class_="tick")
    yield element("text", words(unit), x=axis.left + axis.width / 2, y=bottom + 38, class_="tick")
