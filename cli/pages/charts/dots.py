"""What an accelerator costs for an hour in each pool, against the cheapest hyperscaler."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from cli.pages.charts.axes import WIDTH, Scale, draw_horizontal_axis, drawing, marker, scale, text
from cli.pages.documents.html import Markup, element, escape_text
from cli.terminal.amounts import percent, usd
from cli.views.quote.options import letter
from planning.quoting.quote_form import versus_big_three_percent, worth_by_pool
from planning.values.money import ZERO

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from decimal import Decimal

    from planning.quoting.quote import Option, PoolWorth

RATE_LEFT: Final = 16
RATE_RIGHT: Final = 150
RATE_ROW: Final = 58
DOT: Final = 38  # pixels from a row's top to its dot; the name stands above
RATE_TOP: Final = 12
BOTTOM: Final = 56


class RateRow(NamedTuple):
    at: int
    pool: str
    hardware: str
    worth: PoolWorth
    rate: Decimal
    other: Decimal | None


def rate_rows(options: Sequence[Option]) -> tuple[RateRow, ...]:
    return tuple(row for at, option in enumerate(options) for row in _rows(at, option))


def _rows(at: int, option: Option) -> Iterator[RateRow]:
    found = worth_by_pool(option)
    for pool in (pool for each in option.placements for pool in each.pools):
        worth = found.get(pool.name)
        if worth is None or worth.usd_per_gpu_hour is None or pool.accelerator is None:
            continue
        hardware = f"{pool.accelerator}, {pool.kind.replace('_', ' ')}"
        yield RateRow(at, pool.name, hardware, worth, worth.usd_per_gpu_hour, worth.big_three_usd_per_gpu_hour)


def rate_chart(options: Sequence[Option]) -> Markup:
    rows = rate_rows(options)
    most = max((max(row.rate, row.other or ZERO) for row in rows), default=ZERO)
    axis = scale(most, left=RATE_LEFT, width=WIDTH - RATE_LEFT - RATE_RIGHT)
    height = RATE_TOP + RATE_ROW * len(rows) + BOTTOM
    return drawing(
        "rates",
        *draw_horizontal_axis(
            axis,
            top=RATE_TOP - 4,
            bottom=height - BOTTOM,
            unit="USD a GPU-hour; bar: hyperscaler on demand",
        ),
        *(part for number, row in enumerate(rows) for part in _row(row, axis, y=RATE_TOP + RATE_ROW * number)),
        title="USD a GPU-hour of each pool, and at the cheapest of AWS, Google Cloud and Azure on demand",
        description="; ".join(_describe_dot(row) for row in rows),
        height=height,
    )


def _describe_dot(row: RateRow) -> str:
    other = f", {usd(row.other)} USD at the cheapest hyperscaler" if row.other is not None else ""
    return f"{letter(row.at)} {row.pool}: {usd(row.rate)} USD{other}"


def _row(row: RateRow, axis: Scale, *, y: int) -> Iterator[Markup]:
    x = axis.at(row.rate)
    more = element("tspan", escape_text(f"  {row.hardware}"), class_="where")
    yield element("text", escape_text(row.pool), more, x=RATE_LEFT, y=y + 20, class_="name")
    end, middle = x, y + DOT
    if row.other is not None:
        end = axis.at(row.other)
        yield element("line", x1=x, x2=end, y1=middle, y2=middle, class_="gap")
        yield element("line", x1=end, x2=end, y1=middle - 12, y2=middle + 12, class_="whisker")
    yield marker(letter(row.at), x=x, y=middle, hover=_describe_dot(row))
    versus = f", {percent(versus_big_three_percent(row.worth))}" if row.other is not None else ""
    yield text(f"{usd(row.rate)}{versus}", x=max(x, end) + 18, y=middle + 5, class_="amount")
