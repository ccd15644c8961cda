"""A heat map: a row for each place under its provider, a cell for each kind, its state as a colour and in a word.

The picture stands alone in a page of Markdown, so that it brings its own colours, for a light and for a dark page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from cli.pages.charts import axes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

ROW: Final = 20
LABEL: Final = 178  # pixels of the longest region name
CELL: Final = 64
GAP: Final = 3
BETWEEN: Final = 28  # from one column of places to the next
MARGIN: Final = 10
HEAD: Final = 26  # of the names of the kinds
LEGEND: Final = 24  # of one line of the legend
LETTER: Final = 7  # pixels of a letter of the legend
# Green, blue, amber and grey differ in lightness, too, so that they can be told apart without their hue.
STYLE: Final = Markup("""
text { font: 13px system-ui, sans-serif; fill: #1c2530; } .head { font-weight: 600; } .in { text-anchor: middle; }
.kind { font-size: 12px; }
.page { fill: #ffffff; } .priced { fill: #8fd3a4; } .estimated { fill: #b8d4f5; } .incomplete { fill: #f7cf84; }
.nothing { fill: #e4e7eb; }
@media (prefers-color-scheme: dark) { text { fill: #e8edf2; } .page { fill: #0d1117; } .priced { fill: #1f6b3a; }
.estimated { fill: #1f4f86; } .incomplete { fill: #8a5a06; } .nothing { fill: #2b323b; } }
""")


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """One cell: its class says the colour, `word` stands in it, `hover` is what a pointer shows."""

    state: str
    word: str
    hover: str


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """A place and its cells; without cells a heading over those that follow."""

    label: str
    cells: tuple[MatrixCell, ...] = ()


def matrix_chart(
    rows: Sequence[MatrixRow], *, kinds: Sequence[str], columns: int, states: Mapping[str, str], title: str
) -> Markup:
    """The rows in columns of about the same height, read downwards.

    Args:
        kinds: names over the cells.
        states: each state with its words, for the legend.
    """
    column = LABEL + CELL * len(kinds)
    width = 2 * MARGIN + column * columns + BETWEEN * (columns - 1)
    legend, below = _lay_out_legend(states, width=width)
    parts = list(_split(rows, columns))
    height = below + HEAD + ROW * max(map(len, parts)) + MARGIN
    return axes.picture(
        title,
        axes.element("style", STYLE),
        axes.element("rect", x=0, y=0, width=width, height=height, class_="page"),
        *legend,
        *(
            mark
            for at, part in enumerate(parts)
            for mark in _draw_column(part, kinds, x=MARGIN + at * (column + BETWEEN), y=below)
        ),
        width=width,
        height=height,
        xmlns="http://www.w3.org/2000/svg",
    )


def _split(rows: Sequence[MatrixRow], columns: int) -> Iterator[list[MatrixRow]]:
    """Rows for each column; one that begins inside a group repeats its heading, and none ends with a heading."""
    most = -(-(len(rows) + columns) // columns)
    part: list[MatrixRow] = []
    heading: MatrixRow | None = None
    for row in rows:
        is_heading = not row.cells
        if len(part) >= most - is_heading:
            yield part
            part = [] if is_heading or heading is None else [heading]
        heading = row if is_heading else heading
        part.append(row)
    yield part


def _lay_out_legend(states: Mapping[str, str], *, width: int) -> tuple[list[Markup], int]:
    marks: list[Markup] = []
    x, y = MARGIN, MARGIN
    for state, words in states.items():
        wide = 30 + LETTER * len(words)
        if x > MARGIN and x + wide > width - MARGIN:
            x, y = MARGIN, y + LEGEND
        marks.append(axes.element("rect", x=x, y=y, width=16, height=16, rx=3, class_=state))
        marks.append(axes.text(words, x=x + 22, y=y + 13, class_="words"))
        x += wide + MARGIN
    return marks, y + LEGEND


def _draw_column(rows: Sequence[MatrixRow], kinds: Sequence[str], *, x: int, y: int) -> Iterator[Markup]:
    for at, kind in enumerate(kinds):
        yield axes.text(kind, x=x + LABEL + CELL * at + CELL / 2, y=y + 18, class_="in kind")
    for number, row in enumerate(rows):
        top = y + HEAD + ROW * number
        yield axes.text(row.label, x=x if not row.cells else x + 8, y=top + 14, class_="where" if row.cells else "head")
        for at, cell in enumerate(row.cells):
            left = x + LABEL + CELL * at
            yield axes.with_hover(
                cell.hover,
                axes.element("rect", x=left, y=top, width=CELL - GAP, height=ROW - GAP, rx=3, class_=cell.state),
                axes.text(cell.word, x=left + (CELL - GAP) / 2, y=top + 13, class_="in"),
            )
