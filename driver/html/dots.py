"""What an accelerator costs for an hour in each pool, against the cheapest of the big three."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from driver.html.grid import grid
from driver.html.markup import Markup, element, words
from driver.html.scale import Scale, scale
from driver.render.amounts import percent, usd
from driver.render.options import views
from planning.json_form import versus_big_three_percent, worth_by_pool
from planning.money import ZERO

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from decimal import Decimal

    from planning.quote import Option, PoolWorth

WIDTH: Final = 960
LEFT: Final = 8
RIGHT: Final = 130
ROW: Final = 44
DOT: Final = 30  # pixels from a row's top to its dot; the name stands above
TOP: Final = 12
BOTTOM: Final = 44


class Row(NamedTuple):
    """One pool: its name for the reader, its rate, and the rate of the big three."""

    label: str
    worth: PoolWorth
    rate: Decimal
    other: Decimal | None


def rate_rows(options: Sequence[Option]) -> tuple[Row, ...]:
    """Pools with accelerators that have a price, option by option."""
    return tuple(row for option in options for row in _rows(option))


def _rows(option: Option) -> Iterator[Row]:
    found = worth_by_pool(option)
    for pool in (pool for each in option.placements for pool in each.pools):
        worth = found.get(pool.name)
        if worth is None or worth.usd_per_gpu_hour is None or pool.accelerator is None:
            continue
        label = f"{views(option)}: {pool.name}, {pool.accelerator}, {pool.kind.replace('_', ' ')}"
        yield Row(label, worth, worth.usd_per_gpu_hour, worth.big_three_usd_per_gpu_hour)


def rate_chart(options: Sequence[Option]) -> Markup:
    """A dot for each pool, a tick for the big three, and the way between them."""
    rows = rate_rows(options)
    most = max((max(row.rate, row.other or ZERO) for row in rows), default=ZERO)
    axis = scale(most, left=LEFT, width=WIDTH - LEFT - RIGHT)
    height = TOP + ROW * len(rows) + BOTTOM
    return element(
        "svg",
        element("title", words("USD per accelerator-hour of each pool, and at the cheapest of AWS, GCP and Azure")),
        *grid(axis, top=TOP - 4, bottom=height - BOTTOM, unit="USD per accelerator-hour", shown=_plain),
        *(part for number, row in enumerate(rows) for part in _row(row, axis, y=TOP + ROW * number)),
        viewBox=f"0 0 {WIDTH} {height}",
        role="img",
    )


def _plain(tick: Decimal) -> str:
    return f"{tick.normalize():f}"


def _row(row: Row, axis: Scale, *, y: int) -> Iterator[Markup]:
    x = axis.at(row.rate)
    yield element("text", words(row.label), x=LEFT, y=y + 14, class_="where")
    end, middle = x, y + DOT
    if row.other is not None:
        end = axis.at(row.other)
        yield element("line", x1=x, x2=end, y1=middle, y2=middle, class_="gap")
        yield element("line", x1=end, x2=end, y1=middle - 8, y2=middle + 8, class_="whisker")
    yield element("circle", cx=x, cy=middle, r=6, fill="#0072b2")
    versus = f"  {percent(versus_big_three_percent(row.worth))}" if row.other is not None else ""
    yield element("text", words(f"{usd(row.rate)}{versus}"), x=max(x, end) + 12, y=middle, class_="amount")
