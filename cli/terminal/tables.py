"""Tables for a terminal, all in one form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from rich.console import RenderableType

INDENT = (0, 0, 0, 2)


def make_table(
    headings: Sequence[str],
    rows: Iterable[Iterable[RenderableType]] = (),
    *,
    right: Collection[str] = (),
    whole: Collection[str] = (),
) -> Table:
    """A table whose long words fold.

    Args:
        right: headings of columns whose figures stand right.
        whole: headings of columns whose cells stay on one line.
    """
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0))
    for each in headings:
        justify = "right" if each in right else "left"
        table.add_column(each, justify=justify, no_wrap=each in whole, overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table


def make_grid(
    rows: Iterable[Iterable[str | Text]], *, widths: Sequence[int] = (), gap: int = 2, left: int = 2
) -> Padding:
    """Columns without lines and headings, whose long words fold.

    Args:
        widths: of the first columns.
        left: blanks before all of it.
    """
    grid = Table.grid(padding=(0, gap, 0, 0))
    for width in widths:
        grid.add_column(width=width)
    for row in rows:
        grid.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in row))
    for column in grid.columns:
        column.overflow = "fold"
    return Padding(grid, (0, 0, 0, left))


def indent(part: RenderableType) -> Padding:
    return Padding(part, INDENT)
