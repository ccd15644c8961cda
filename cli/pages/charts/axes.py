"""What all charts share: SVG elements, a title for those who cannot see, words over a mark, axes and markers."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import TYPE_CHECKING, Final, NamedTuple

from markupsafe import Markup, escape

from cli.terminal.amounts import usd
from planning.values.money import round_to
from planning.values.printable import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Attribute = str | int | float
_VOID: Final = frozenset({"line", "rect", "circle", "path"})


def element(name: str, /, *content: Markup, **attributes: Attribute) -> Markup:
    """An element; "_" in an attribute's name stands for "-", one at its end is dropped ("class_")."""
    given = "".join(f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"' for key, value in attributes.items())
    end = "/>" if name in _VOID else f">{''.join(content)}</{name}>"
    return Markup(f"<{name}{given}{end}")  # noqa: S704 - values and words are escaped


def escape_text(text: str) -> Markup:
    return escape(printable(text))


def _value(value: Attribute) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else escape_text(str(value))


STEPS: Final = (Decimal(1), Decimal(2), Decimal("2.5"), Decimal(5), Decimal(10))
MOST_TICKS: Final = 7


@dataclass(frozen=True, slots=True)
class Scale:
    """A straight axis from 0 to `most`, `width` pixels long, starting at pixel `left`."""

    most: Decimal
    left: float
    width: float

    def at(self, amount: Decimal) -> float:
        return self.left + self.width * float(amount / self.most)

    @property
    def ticks(self) -> tuple[Decimal, ...]:
        step = tick_step(self.most)
        return tuple(step * number for number in range(int(self.most / step) + 1))


def tick_step(most: Decimal) -> Decimal:
    """The smallest round step that needs no more than `MOST_TICKS` ticks."""
    magnitude = Decimal(10) ** (most.adjusted() - 1)
    return next(
        magnitude * step * grade
        for grade in (1, 10)
        for step in STEPS
        if most / (magnitude * step * grade) <= MOST_TICKS
    )


def scale(most: Decimal, *, left: float, width: float) -> Scale:
    reach = max(most, Decimal("0.01"))
    step = tick_step(reach)
    return Scale(step * (reach / step).to_integral_value(ROUND_CEILING), left, width)


class Frame(NamedTuple):
    """Where the rows of a chart lie, in pixels.

    Args:
        left: margin of the axis; `right` is the one at its other end.
        row: height of each row.
        bottom: room below the rows, for the axis.
    """

    width: int
    left: int
    right: int
    top: int
    row: int
    bottom: int

    def row_top(self, at: int) -> int:
        return self.top + self.row * at

    def height(self, rows: int) -> int:
        return self.row_top(rows) + self.bottom

    def scale(self, most: Decimal) -> Scale:
        return scale(most, left=self.left, width=self.width - self.left - self.right)


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
        yield element("text", escape_text(shown(tick)), x=x, y=bottom + 20, class_="tick")
    yield element("text", escape_text(unit), x=axis.left + axis.width / 2, y=bottom + 38, class_="tick")


WIDTH: Final = 720
THOUSAND: Final = 1000
MILLION: Final = 1_000_000
BOLD_LETTER: Final = 8.6  # pixels of a bold letter on a desk
LETTER_WIDTH: Final = 7.2  # pixels of one letter at the size of a desk
LONGEST_NAME: Final = 26  # letters that a phone has room for beside an amount
MARKER: Final = 11  # radius of an option's letter


def drawing(name: str, *parts: Markup, title: str, description: str, height: float) -> Markup:
    """A chart `WIDTH` wide that reads its title and its description aloud.

    Args:
        name: unique in the page.
    """
    return element(
        "svg",
        element("title", escape_text(title), id=f"{name}-title"),
        element("desc", escape_text(description), id=f"{name}-desc"),
        *parts,
        viewBox=f"0 0 {WIDTH} {height:.0f}",
        role="img",
        aria_labelledby=f"{name}-title {name}-desc",
        class_="chart",
    )


def picture(title: str, *parts: Markup, width: float, height: float, **attributes: str) -> Markup:
    """A chart of any width; its title is read aloud."""
    name = element("title", escape_text(title))
    return element("svg", name, *parts, viewBox=f"0 0 {width} {height}", role="img", **attributes)


def with_hover(said: str, *marks: Markup) -> Markup:
    return element("g", element("title", escape_text(said)), *marks)


def text(said: str, *, x: float, y: float, class_: str) -> Markup:
    return element("text", escape_text(said), x=x, y=y, class_=class_)


def heading(name: str, *, beside: str = "", amount: str, x: float, y: float) -> Markup:
    """An option's name above its bar; a phone shows of a long one the letter alone, and nothing of what is beside.

    Args:
        amount: words at the right end of the line; of a name that would touch them the last goals are left out.
    """
    letter, _, goals = name.partition(":")
    while len(f"{letter}:{goals}  {amount}") * BOLD_LETTER > WIDTH - 2 * MARKER and ", " in goals.removesuffix(", ..."):
        goals = f"{goals.removesuffix(', ...').rpartition(', ')[0]}, ..."
    name = f"{letter}:{goals}" if goals else name
    rest = element("tspan", escape_text(f":{goals}"), class_="long")
    shown = (escape_text(name),) if len(name) <= LONGEST_NAME else (escape_text(letter), rest)
    more = (element("tspan", escape_text(beside), class_="where"),) if beside else ()
    return element("text", *shown, *more, x=x, y=y, class_="name")


def draw_horizontal_axis(axis: Scale, *, top: float, bottom: float, unit: str) -> Iterator[Markup]:
    """Lines upwards from an axis below the chart."""
    for at, tick in enumerate(axis.ticks):
        x = axis.at(tick)
        yield element("line", x1=x, x2=x, y1=top, y2=bottom, class_="grid")
        # A phone hides the odd ones, which would touch each other there.
        yield text(format_tick(tick), x=x, y=bottom + 20, class_="tick odd" if at % 2 else "tick")
    yield text(unit, x=axis.left + axis.width / 2, y=bottom + 44, class_="tick unit")


def draw_vertical_axis(axis: Scale, *, height: float, left: float, right: float, unit: str) -> Iterator[Markup]:
    for tick in axis.ticks:
        y = vertical_pixel(axis, tick, height=height)
        yield element("line", x1=left, x2=right, y1=y, y2=y, class_="grid")
        yield text(format_tick(tick), x=left - 8, y=y + 4, class_="tick beside")
    yield text(unit, x=0, y=axis.left - 40, class_="tick head")


def vertical_pixel(axis: Scale, amount: Decimal, *, height: float) -> float:
    return axis.left + height - (axis.at(amount) - axis.left)


def format_tick(tick: Decimal) -> str:
    """An amount for an axis: "0.5", "250", "40k", "1.2M"."""
    scaled, unit = (tick / MILLION, "M") if tick >= MILLION else (tick / THOUSAND, "k")
    if tick < 10 * THOUSAND:
        scaled, unit = tick, ""
    return f"{scaled.normalize():,f}{unit}" if tick else "0"


def marker(letters: str, *, x: float, y: float, hover: str) -> Markup:
    """An option's letter in a disc; several letters where options stand at one place."""
    wide = MARKER + LETTER_WIDTH * (len(letters) - 1) / 2
    disc = element("rect", x=x - wide, y=y - MARKER, width=wide * 2, height=MARKER * 2, rx=MARKER, class_="disc")
    return with_hover(hover, disc, text(letters, x=x, y=y + 4.5, class_="letter"))


def group_overlaps(places: Iterable[tuple[float, float]], *, near: float) -> list[list[int]]:
    """Indices of places, those closer than `near` pixels in one group."""
    groups: list[tuple[tuple[float, float], list[int]]] = []
    for at, (x, y) in enumerate(places):
        found = next((each for (there, up), each in groups if abs(there - x) < near and abs(up - y) < near), None)
        if found is None:
            groups.append(((x, y), [at]))
        else:
            found.append(at)
    return [each for _, each in groups]


def ceiling_axis(
    frame: Frame, most: Decimal, ceiling: Decimal | None, *, furthest: Decimal
) -> tuple[Scale, Decimal | None]:
    """The axis, and the ceiling where it is near enough to be drawn."""
    near = ceiling if ceiling is not None and ceiling <= most * furthest else None
    return frame.scale(most if near is None else max(most, near)), near


def ceiling_line(axis: Scale, ceiling: Decimal | None, *, top: float, bottom: float) -> Iterator[Markup]:
    if ceiling is None:
        return
    x = axis.at(ceiling)
    yield element("line", x1=x, x2=x, y1=top, y2=bottom, class_="ceiling")
    side = "ceiling-name left" if x > WIDTH / 2 else "ceiling-name"
    yield text(f"ceiling {usd(ceiling)}", x=x, y=top - 6, class_=side)


def format_percents(up: str, down: str) -> str:
    return f"{up}%" if up == down else f"{down} to {up}%"


def format_amount(value: Decimal) -> str:
    rounded = round_to(value, Decimal("0.01"))
    return f"{rounded:,f}".rstrip("0").rstrip(".")
